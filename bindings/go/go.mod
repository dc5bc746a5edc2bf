module github.com/libllm/libllm/bindings/go

go 1.24
