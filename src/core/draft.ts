/** Something on its way to be a `T`: its members are set one by one, which is cheaper than spreading what is there. */
export type Draft<T> = { -readonly [Name in keyof T]: T[Name] };
