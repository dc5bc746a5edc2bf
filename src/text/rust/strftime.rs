//! The date and time of a clock that the caller gives, in the form of C's strftime().

use std::fmt::Write;

#[derive(Clone, Copy)]
pub struct Clock {
    /// Seconds since 1970 in UTC.
    pub now: i64,
    /// Seconds that local time is ahead of UTC.
    pub utc_offset: i32,
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

struct Time {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// 0 is Sunday.
    week_day: i64,
    /// 0 is the first of January.
    year_day: i64,
}

/// Days from 1970-01-01 to the first day of a year in the Gregorian calendar.
fn days_before_year(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) - 719_162
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_lengths(year: i64) -> [i64; 12] {
    [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

impl Clock {
    fn local(&self) -> Time {
        // Within the years that four digits can say.
        let now = self.now.clamp(-62_135_510_400, 253_402_214_399);
        let seconds = now + i64::from(self.utc_offset.clamp(-86_400, 86_400));
        let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Not later than the year in question.
        let mut year = 1970 + days.div_euclid(if days < 0 { 365 } else { 366 });
        while days_before_year(year + 1) <= days {
            year += 1;
        }
        let year_day = days - days_before_year(year);
        let (mut month, mut day) = (1, year_day + 1);
        for length in month_lengths(year) {
            if day <= length {
                break;
            }
            day -= length;
            month += 1;
        }
        let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
        Time { year, month, day, hour, minute, second, week_day: (days + 4).rem_euclid(7), year_day }
    }

    pub fn format(&self, pattern: &str) -> String {
        let time = self.local();
        let mut out = String::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            if character != '%' {
                out.push(character);
                continue;
            }
            let mut padding = None;
            let mut code = characters.next();
            if let Some(flag @ ('-' | '_' | '0')) = code {
                padding = Some(flag);
                code = characters.next();
            }
            match code {
                Some(code) => self.append(&mut out, &time, code, padding),
                None => out.push('%'),
            }
        }
        out
    }

    fn append(&self, out: &mut String, time: &Time, code: char, padding: Option<char>) {
        if let Some(pattern) = combined(code) {
            out.push_str(&self.format(pattern));
            return;
        }
        if let Some(text) = named(time, code) {
            out.push_str(&text);
            return;
        }
        let hour12 = (time.hour + 11) % 12 + 1;
        let (value, width, filler) = match code {
            'C' => (time.year / 100, 2, '0'),
            'd' => (time.day, 2, '0'),
            'e' => (time.day, 2, ' '),
            'f' => (0, 6, '0'),
            'G' => (iso_week(time).0, 4, '0'),
            'g' => (iso_week(time).0 % 100, 2, '0'),
            'H' => (time.hour, 2, '0'),
            'I' => (hour12, 2, '0'),
            'j' => (time.year_day + 1, 3, '0'),
            'k' => (time.hour, 2, ' '),
            'l' => (hour12, 2, ' '),
            'M' => (time.minute, 2, '0'),
            'm' => (time.month, 2, '0'),
            'S' => (time.second, 2, '0'),
            's' => (self.now, 1, '0'),
            'U' => ((time.year_day + 7 - time.week_day) / 7, 2, '0'),
            'u' => ((time.week_day + 6) % 7 + 1, 1, '0'),
            'V' => (iso_week(time).1, 2, '0'),
            'W' => ((time.year_day + 7 - (time.week_day + 6) % 7) / 7, 2, '0'),
            'w' => (time.week_day, 1, '0'),
            'Y' => (time.year, 4, '0'),
            'y' => (time.year % 100, 2, '0'),
            _ => {
                out.push('%');
                out.extend(padding);
                out.push(code);
                return;
            }
        };
        let _ = match (padding, filler) {
            (Some('-'), _) => write!(out, "{value}"),
            (Some('_'), _) | (None, ' ') => write!(out, "{value:width$}"),
            _ => write!(out, "{value:0width$}"),
        };
    }
}

/// Codes that stand for several others.
fn combined(code: char) -> Option<&'static str> {
    Some(match code {
        'c' => "%a %b %e %H:%M:%S %Y",
        'D' | 'x' => "%m/%d/%y",
        'F' => "%Y-%m-%d",
        'R' => "%H:%M",
        'r' => "%I:%M:%S %p",
        'T' | 'X' => "%H:%M:%S",
        _ => return None,
    })
}

fn named(time: &Time, code: char) -> Option<String> {
    let (day, month) = (DAYS[time.week_day as usize], MONTHS[time.month as usize - 1]);
    let text = match code {
        'A' => day,
        'a' => &day[..3],
        'B' => month,
        'b' | 'h' => &month[..3],
        'n' => "\n",
        'P' => return Some(if time.hour < 12 { "am" } else { "pm" }.to_string()),
        'p' => return Some(if time.hour < 12 { "AM" } else { "PM" }.to_string()),
        't' => "\t",
        // Python's time without a zone has no name and no offset.
        'Z' | 'z' => "",
        '%' => "%",
        _ => return None,
    };
    Some(text.to_string())
}

/// Year and number of the week by ISO 8601.
fn iso_week(time: &Time) -> (i64, i64) {
    let day = (time.week_day + 6) % 7 + 1;
    let week = (time.year_day + 1 - day + 10) / 7;
    let weeks_of = |year: i64| {
        let first = (days_before_year(year) + 4).rem_euclid(7);
        if first == 4 || (first == 3 && is_leap(year)) {
            53
        } else {
            52
        }
    };
    if week < 1 {
        (time.year - 1, weeks_of(time.year - 1))
    } else if week > weeks_of(time.year) {
        (time.year + 1, 1)
    } else {
        (time.year, week)
    }
}
