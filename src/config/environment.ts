export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Nothing else reads it: whoever needs a setting is handed a Config. */
export const environment: Environment = process.env;

/** A variable's value; an empty one counts as unset. Asking by a name such as `__proto__` finds nothing. */
export function variable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === '' ? undefined : value;
}
