/** Strongest first: a flag beats the environment, which beats .env, which beats config.json, which beats the default. */
export type OriginKind = 'flag' | 'env' | 'dotenv' | 'file' | 'default';

/** Where a value came from. */
export interface Origin {
  readonly kind: OriginKind;
  /** `--port`, `EXAI_PORT`, the path of config.json; empty for a default. */
  readonly name: string;
  /** The .env that holds the variable. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export const DEFAULT_ORIGIN: Origin = { kind: 'default', name: '' };

/** As a person reads it: `EXAI_PORT`, `EXAI_PORT in /home/me/.exai/.env:3`, `/home/me/.exai/config.json:3:11`. */
export function describeOrigin(origin: Origin): string {
  const place = [origin.line, origin.column].flatMap((n) => (n === undefined ? [] : `:${n}`));
  switch (origin.kind) {
    case 'flag':
    case 'env':
      return origin.name;
    case 'dotenv':
      return `${origin.name} in ${origin.file}${place.join('')}`;
    case 'file':
      return `${origin.name}${place.join('')}`;
    case 'default':
      return 'default';
  }
}

export function fixAt(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return `Correct ${origin.name}.`;
    case 'env':
      return `Correct or unset ${origin.name}.`;
    case 'dotenv':
      return `Correct ${origin.file}.`;
    case 'file':
      return `Correct ${origin.name}.`;
    case 'default':
      return 'Report this as a bug of EX-AI.';
  }
}
