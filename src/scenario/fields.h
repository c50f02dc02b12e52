#pragma once
// Filled in beside reader and writer: the visitors that `describe()` functions (base/field.h) are called with.
