import { existsSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { failed, type Examine } from './check.ts';

export const configuration: Examine = ({ loaded, home, configFile }) => {
  const check = { id: 'config', title: 'Configuration' } as const;
  if (loaded instanceof CallError) return [failed(check, loaded)];
  const [first, ...others] = loaded.notices;
  if (first !== undefined) {
    const more = others.length > 0 ? ` (and ${others.length} more: exai config show)` : '';
    return [{ ...check, status: 'warn', detail: `${first}${more}` }];
  }
  const files = [configFile, home.envFile].filter((file) => existsSync(file));
  const detail = files.length === 0 ? 'defaults' : files.join(', ');
  return [{ ...check, status: 'ok', detail }];
};
