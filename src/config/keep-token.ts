import { setVariable } from './dotenv-edit.ts';
import { editEnvFile } from './env-file.ts';
import type { LoadedConfig } from './load.ts';
import { DEFAULT_ORIGIN, describeOrigin } from './origin.ts';
import { tokenVariables } from './owner-token.ts';

export interface KeptToken {
  /** Whether the next daemon will know it. */
  readonly kept: boolean;
  readonly note?: string;
}

/** Writes a new token to the .env of the home, unless a stronger source would go on naming the old one. */
export function keepToken({ home, origins }: LoadedConfig, token: string): KeptToken {
  const origin = origins.get('token') ?? DEFAULT_ORIGIN;
  if (origin.kind !== 'dotenv' && origin.kind !== 'default') {
    const place = describeOrigin(origin);
    return {
      kept: false,
      note: `The daemon takes its token from ${place}. Set ${place} to the new token, or the next start uses the old one.`,
    };
  }
  editEnvFile(home.envFile, (text) => setVariable(text, tokenVariables(), token));
  return { kept: true };
}
