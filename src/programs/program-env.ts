/**
 * The environment of a program: the listed variables of `from` that are set, then `own`. Nothing
 * else is passed on, so that a program sees no key and no setting of the daemon.
 */
export function programEnv(
  from: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value !== undefined && value !== '') env[name] = value;
  }
  return { ...env, ...own };
}
