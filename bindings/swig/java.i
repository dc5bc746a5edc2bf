/*
 * Java's typemaps. There are no proxies (-noproxy): pointers are long, buffers are arrays whose length is the capacity,
 * outputs are arrays of one element. Names are bytes that end with a zero. All Java code is in package org.libllm.
 */
