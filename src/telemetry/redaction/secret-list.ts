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

/** Those of the settings, and tokens that come and go and must not displace them. */
export function createSecretLists(ofSettings: readonly string[]) {
  const [settings, tokens] = [createSecretList(ofSettings), createSecretList([])];
  return { settings, tokens, texts: joinSecrets(settings, tokens) };
}

/** The secrets of several lists. */
function joinSecrets(...lists: readonly SecretList[]): () => readonly string[] {
  let parts: readonly (readonly string[])[] = [];
  let joined: readonly string[] = [];
  return () => {
    const now = lists.map((list) => list.texts());
    if (now.length !== parts.length || now.some((texts, at) => texts !== parts[at])) {
      parts = now;
      joined = now.flat();
    }
    return joined;
  };
}
