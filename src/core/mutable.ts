/**
 * `T` without `readonly`, for building an object field by field, which is cheaper than spreading.
 */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
