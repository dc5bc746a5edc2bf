# What the tests set for Go: the program that CMake found, nothing from the network. To be sourced by bash.
PATH=$(dirname "${LLM_GO:-$(command -v go)}"):$PATH
export PATH GOTOOLCHAIN=local GOWORK=off GOPROXY="${GOPROXY:-off}" GOFLAGS=-modcacherw
