/** What systemd takes for no name of a program however it is quoted, and a `$`, whose meaning differs there from the arguments. */
const UNFIT_PROGRAM = /["'\\$]/;
/** Starts its first argument in its own place. */
const BY_SHELL = ['/bin/sh', '-c', 'exec "$0" "$@"'] as const;

/** The value of `ExecStart=` that runs just these words. */
export function quoteCommand([program, ...args]: readonly [string, ...string[]]): string {
  if (UNFIT_PROGRAM.test(program)) return quoteCommand([...BY_SHELL, program, ...args]);
  const words = args.map((arg) => quote(arg.replaceAll('$', '$$$$')));
  return [quote(program), ...words].join(' ');
}

/** A value of `Environment=`, where a `$` means itself. */
export function quoteAssignment(name: string, value: string): string {
  return quote(`${name}=${value}`);
}

/** One word for systemd, which first takes quotes and backslashes away and then puts things in the place of `%h` and its like. */
function quote(word: string): string {
  return `"${word.replaceAll('%', '%%').replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
