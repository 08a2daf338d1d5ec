/** What a server says with a refusal: the parameters of `WWW-Authenticate: Bearer …`. */
export interface Challenge {
  readonly resourceMetadata?: string;
  /** Separated by spaces. */
  readonly scope?: string;
  readonly error?: string;
}

const MAX_HEADER_CHARS = 8_192;
const SCHEME = /(?:^|,)\s*Bearer(?=\s|,|$)/i;
/** A parameter: a token, and a token or a quoted text. */
const PARAMETER = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/y;

/** Reads the challenge of the scheme Bearer; undefined if there is none. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  if (header === undefined || header.length > MAX_HEADER_CHARS) return undefined;
  const scheme = SCHEME.exec(header);
  if (!scheme) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = scheme.index + scheme[0].length;
  for (let match = PARAMETER.exec(header); match; match = PARAMETER.exec(header)) {
    const [, name = '', quoted, plain = ''] = match;
    const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1');
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  const resourceMetadata = parameters.get('resource_metadata');
  const scope = joinScopes(parameters.get('scope'));
  const error = parameters.get('error');
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  };
}

/** RFC 6749; a server may send anything in their place. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const MAX_SHOWN_CHARS = 200;

/** The scopes for a message; undefined where they are too long for one. */
export function shownScopes(scope: string | undefined): string | undefined {
  return scope !== undefined && scope.length <= MAX_SHOWN_CHARS ? scope : undefined;
}

/** All scopes of these texts, each one time; undefined for none. */
export function joinScopes(...texts: readonly (string | undefined)[]): string | undefined {
  const all = new Set(
    texts.flatMap((text) => (text ?? '').split(/\s+/).filter((each) => SCOPE.test(each))),
  );
  return all.size === 0 ? undefined : [...all].join(' ');
}

/** Whether each scope of `wanted` is among `given`. */
export function hasScopes(given: string | undefined, wanted: string | undefined): boolean {
  const has = new Set((given ?? '').split(/\s+/));
  return (wanted ?? '').split(/\s+/).every((scope) => scope === '' || has.has(scope));
}
