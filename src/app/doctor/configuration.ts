import { existsSync } from 'node:fs';
import type { Origin } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { failed, type Examine } from './check.ts';

export const configuration: Examine = ({ loaded, home, configFile }) => {
  const check = { id: 'config', title: 'Configuration' } as const;
  if (loaded instanceof CallError) return [failed(check, loaded)];
  const [first, ...others] = loaded.notices;
  if (first) {
    const more = others.length > 0 ? ` (and ${others.length} more: exai config show)` : '';
    return [{ ...check, status: 'warn', detail: `${baseRenderer.notice(first)}${more}` }];
  }
  const places = [
    ...[configFile, home.envFile].filter((file) => existsSync(file)),
    ...fromEnvironment([...loaded.origins.values()]),
  ];
  const detail = places.length === 0 ? 'defaults' : places.join(', ');
  return [{ ...check, status: 'ok', detail }];
};

function fromEnvironment(origins: readonly Origin[]): string[] {
  const count = origins.filter(({ kind }) => kind === 'env').length;
  if (count === 0) return [];
  return [`${count} setting${count === 1 ? '' : 's'} from the environment`];
}
