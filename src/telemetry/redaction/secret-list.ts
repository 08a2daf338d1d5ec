/** Literal values to mask. A function returns the same array until the values change. */
export type SecretTexts = readonly string[] | (() => readonly string[]);

/** The secrets of the daemon, to which a reload adds. A secret that is no longer set stays masked. */
export interface SecretList {
  readonly texts: () => readonly string[];
  add(secrets: readonly string[]): void;
}

/** How many secrets are masked at once; the oldest are dropped first. */
const MAX_SECRETS = 200;

export function createSecretList(initial: readonly string[]): SecretList {
  let texts = initial;
  return {
    texts: () => texts,
    add(secrets) {
      if (secrets.every((secret) => texts.includes(secret))) return;
      const former = texts.filter((secret) => !secrets.includes(secret));
      texts = [...former, ...secrets].slice(-Math.max(MAX_SECRETS, secrets.length));
    },
  };
}
