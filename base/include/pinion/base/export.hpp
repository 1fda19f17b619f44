// SPDX-License-Identifier: Apache-2.0
//
// PINION_EXPORT: marks what a shared library of pinion gives to programs. All else stays inside the library.
//
//   PINION_EXPORT [[nodiscard]] int teeth() noexcept;   // a function compiled in src/
//   class PINION_EXPORT gear;                           // a class with members compiled in src/
//
// The libraries are compiled with -fvisibility=hidden -fvisibility-inlines-hidden; programs need not be.
// Templates and inline functions need no mark: each program compiles its own. In a static library the mark
// has no effect.
#pragma once

/// Behind `class` or `struct`, or at the beginning of a function's declaration.
#define PINION_EXPORT [[gnu::visibility("default")]]
