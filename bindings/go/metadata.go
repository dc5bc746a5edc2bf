// Metadata and tensors of a model file.

package llm

import (
	"github.com/libllm/libllm/bindings/go/internal/raw"
)

// ValueType is the type of a metadata value, with the number that it has in GGUF.
type ValueType int32

// The types of metadata values.
const (
	Uint8   ValueType = 0
	Int8    ValueType = 1
	Uint16  ValueType = 2
	Int16   ValueType = 3
	Uint32  ValueType = 4
	Int32   ValueType = 5
	Float32 ValueType = 6
	Bool    ValueType = 7
	String  ValueType = 8
	Array   ValueType = 9
	Uint64  ValueType = 10
	Int64   ValueType = 11
	Float64 ValueType = 12
)

// ArrayInfo describes an array of metadata.
type ArrayInfo struct {
	ElementType ValueType
	Count       uint64
}

// MetadataKeys lists the keys of the file's metadata, in the file's order.
func (m *Model) MetadataKeys() ([]string, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	keys := make([]string, raw.LlmMetadataCount(m.native))
	for i := range keys {
		key, err := fillText(func(out []byte, needed *uint64) raw.Outcome {
			return raw.RawMetadataKey(out, needed, m.native, uint64(i))
		})
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	return keys, nil
}

// Metadata gives a value of the file's metadata: a uint64 for the unsigned types, an int64 for the signed ones, a
// float64, a bool, a string of any bytes, or an [ArrayInfo], whose elements [Model.MetadataElement] gives.
// [ErrNotFound] when the file has no such key.
func (m *Model) Metadata(key string) (any, error) {
	return m.value(key, func(out raw.LlmValue) raw.Outcome { return raw.LlmMetadataGet(out, m.native, key) })
}

// MetadataElement gives an element of an array, as [Model.Metadata] does; arrays in arrays take an index for each
// level. [ErrNotFound] for an unknown key or an index past the end, [ErrArgument] when the value is no array.
func (m *Model) MetadataElement(key string, indexes ...uint64) (any, error) {
	return m.value(key, func(out raw.LlmValue) raw.Outcome {
		return raw.LlmMetadataElement(out, m.native, key, indexes)
	})
}

func (m *Model) value(key string, call func(out raw.LlmValue) raw.Outcome) (any, error) {
	if err := checkName("the key", key); err != nil {
		return nil, err
	}
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	value := raw.NewLlmValue()
	defer raw.DeleteLlmValue(value)
	if err := check(call(value)); err != nil {
		return nil, err
	}
	switch ValueType(value.GetType()) {
	case Uint8, Uint16, Uint32, Uint64:
		return value.GetU(), nil
	case Int8, Int16, Int32, Int64:
		return value.GetI(), nil
	case Float32, Float64:
		return value.GetF(), nil
	case Bool:
		return value.GetU() != 0, nil
	case Array:
		return ArrayInfo{ValueType(value.GetElementType()), value.GetCount()}, nil
	}
	return fillText(func(out []byte, needed *uint64) raw.Outcome { return raw.RawValueText(out, needed, value) })
}

// Tensor describes a tensor of the file.
type Tensor struct {
	Name   string
	Type   string   // "Q4_K"
	Shape  []uint64 // the dimension that runs fastest first
	Offset uint64   // of the first byte, from the start of the file that holds it
	Bytes  uint64
	Part   int // of a split model, that holds it; from 0
}

// Tensors lists the tensors of the file, or of all parts, in the file's order.
func (m *Model) Tensors() ([]Tensor, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	tensor := raw.NewLlmTensor()
	defer raw.DeleteLlmTensor(tensor)
	tensors := make([]Tensor, raw.LlmTensorCount(m.native))
	for i := range tensors {
		if err := check(raw.LlmTensorGet(tensor, m.native, uint64(i))); err != nil {
			return nil, err
		}
		shape := make([]uint64, tensor.GetDimensionCount())
		for dimension := range shape {
			shape[dimension] = raw.RawTensorDimension(tensor, uint64(dimension))
		}
		tensors[i] = Tensor{
			Name: tensor.GetName(), Type: tensor.GetType(), Shape: shape, Offset: tensor.GetOffset(),
			Bytes: tensor.GetByteCount(), Part: int(tensor.GetPart()),
		}
	}
	return tensors, nil
}
