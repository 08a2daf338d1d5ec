/** `${NAME}`, the escape `$${`, or a `${` that is neither. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)\}|\$\{/g;

/** Stands among the missing names for a `${` that no name and `}` follow. */
export const UNFINISHED = '${';

export interface Resolved {
  readonly text: string;
  readonly used: readonly string[];
  /** Variables that are not set. */
  readonly missing: readonly string[];
}

/** Puts variables in place of the `${NAME}` of a text from config.json. */
export function resolveReferences(
  text: string,
  lookUp: (name: string) => string | undefined,
): Resolved {
  const used: string[] = [];
  const missing: string[] = [];
  const resolved = text.replaceAll(REFERENCE, (found, name: string | undefined) => {
    if (found === '$${') return '${';
    const value = name === undefined ? undefined : lookUp(name);
    const list = value === undefined ? missing : used;
    list.push(name ?? UNFINISHED);
    return value ?? '';
  });
  return { text: resolved, used, missing };
}
