module github.com/libllm/libllm/examples/go

go 1.24

require github.com/libllm/libllm/bindings/go v0.1.0

replace github.com/libllm/libllm/bindings/go => ../../bindings/go
