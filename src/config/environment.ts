export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Only this file reads it; other code takes a Config. */
export const environment: Environment = process.env;

/**
 * The value of a variable; an empty one counts as unset. A name such as `__proto__` finds nothing.
 */
export function variable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === '' ? undefined : value;
}
