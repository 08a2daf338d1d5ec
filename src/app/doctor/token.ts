import { CallError } from '#core/call-error.ts';
import { needsToken } from '../bind-policy.ts';
import type { Examine } from './check.ts';

/** Who can use the daemon over TCP. The socket file, and so every command and `exai stdio`, needs no token. */
export const token: Examine = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const check = { id: 'token', title: 'Token' } as const;
  const { config } = loaded;
  // Beyond loopback without any: the check of the port says so.
  if (config.token === '' && !config.auth.requireToken && needsToken(config)) return [];
  if (needsToken(config)) {
    const detail =
      config.token === ''
        ? 'will be generated at the first start; TCP clients need it'
        : 'TCP clients need it; exai token show';
    return [{ ...check, status: 'ok', detail }];
  }
  const whose =
    process.platform === 'linux' ? 'every program of your user' : 'every program on this machine';
  return [
    {
      ...check,
      status: 'warn',
      detail: `not required, as auth.requireToken is off: ${whose} can use this daemon, your keys and conversations`,
      fix: 'Set auth.requireToken to true, then: exai stop && exai serve',
    },
  ];
};
