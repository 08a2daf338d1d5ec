import { advice, fix, type Fix } from '#core/messages/fixes.ts';
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

export function fixesAt(origin: Origin): readonly Fix[] {
  const { name } = origin;
  switch (origin.kind) {
    case 'flag':
    case 'file':
      return [fix('correct_setting', { setting: name })];
    case 'env':
      return [fix('correct_setting', { setting: name }), fix('unset_setting', { setting: name })];
    case 'dotenv':
      return [fix('correct_setting', { setting: origin.file ?? name })];
    case 'default':
      return [advice('Report this as a bug of EX-AI.')];
  }
}
