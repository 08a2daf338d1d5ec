import { expect } from 'vitest';
import { send, verifies } from '../emulator.fixture.ts';
import { useEmulator } from '../client.fixture.ts';
import { createKimi, createKimiCoding } from './kimi.ts';

const client = useEmulator(() => [createKimi(), createKimiCoding()], {}, 1_790_000_000_000);
const KEY = 'sk-kimi-1';

const at = (path: string, key = KEY, init: object = {}) =>
  send(`${client.emulator.url}/kimi${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...init,
  });
const chat = (model: string, agent: string) =>
  at('/coding/v1/chat/completions', KEY, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'user-agent': agent,
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });

verifies(
  'facts:kimi:coding-plan',
  'the coding plan has its own keys, address and ids',
  async () => {
    const { status, json } = await at('/coding/v1/models');
    expect([status, json.data.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      ['k3', 'k3-256k', 'kimi-for-coding', 'kimi-for-coding-highspeed'],
    ]);
    expect((await at('/v1/models')).status).toBe(401);
    expect((await at('/coding/v1/models', 'sk-1')).status).toBe(401);
    expect((await at('/coding/v1/users/me/balance')).status).toBe(404);
    expect((await chat('kimi-k3', 'KimiCLI/1.3')).status).toBe(404);
    expect((await chat('k3', 'KimiCLI/1.3')).json.model).toBe('k3');
  },
);

verifies(
  'facts:kimi:coding-clients',
  'the coding plan answers the clients on its list alone',
  async () => {
    const { status, json } = await chat('k3', 'exai/1.0.0');
    expect([status, json]).toEqual([
      403,
      {
        error: {
          message:
            'Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code, Roo Code, Kilo Code, etc.',
          type: 'access_terminated_error',
        },
      },
    ]);
    Object.assign(client.emulator.switches['kimi-coding'] ?? {}, { codingClients: 'any' });
    expect((await chat('k3', 'exai/1.0.0')).status).toBe(200);
  },
);
