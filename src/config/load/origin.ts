import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { ConfigReport } from './report.ts';

/**
 * Kinds of sources, strongest first: a flag beats the environment, then .env, config.json and the
 * default.
 */
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
  /** The old path that config.json uses, where the setting was renamed. */
  readonly alias?: string;
}

export const DEFAULT_ORIGIN: Origin = { kind: 'default', name: '' };

/**
 * Formats an origin for people: `EXAI_PORT`, `EXAI_PORT in /home/me/.exai/.env:3`,
 * `/home/me/.exai/config.json:3:11`.
 */
export function describeOrigin(origin: Origin): string {
  const place = [origin.line, origin.column].flatMap((n) => (n === undefined ? [] : `:${n}`));
  switch (origin.kind) {
    case 'flag':
    case 'env':
      return origin.name;
    case 'dotenv':
      return `${origin.name} in ${origin.file}${place.join('')}`;
    case 'file': {
      const alias = origin.alias === undefined ? '' : ` (as ${origin.alias})`;
      return `${origin.name}${place.join('')}${alias}`;
    }
    case 'default':
      return 'default';
  }
}

/** Reports that a setting is used under an old name, with the new name and the place. */
export function noteRenamed(
  old: string,
  current: string,
  origin: Origin,
  report: ConfigReport,
): void {
  const { alias: _, ...place } = origin;
  report.notice(() => notice('setting_renamed', { old, current, source: sourceOf(place) }));
}

function sourceOf(origin: Origin): string {
  switch (origin.kind) {
    case 'flag':
      return 'the command line';
    case 'env':
      return 'the environment';
    case 'dotenv':
      return `${origin.file}:${origin.line}`;
    case 'file':
    case 'default':
      return describeOrigin(origin);
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
