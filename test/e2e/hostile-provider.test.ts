import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ECHOED_KEY, HOSTILE_ANSWERS } from '../cases/hostile-answers.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { CHAT, post } from './gateway-post.ts';
import { serveAnswers, type ServedAnswer } from './hostile-server.ts';

const OWNER = 'the-owner-of-this-daemon-alone';
const AT_ONCE = 8;

const whole = (content: string): ServedAnswer => ({
  type: 'application/json',
  pieces: [JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] })],
});

function ask(url: string, model: string, more: object = {}, token?: string) {
  const body = { model: `custom/${model}`, messages: [{ role: 'user', content: 'Hi' }], ...more };
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  return post(url + CHAT, { body: JSON.stringify(body), headers });
}

/** Everything that was stored or logged. */
function kept(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

verifies(
  'security:answer-keys',
  'whatever a server answers is an answer or an error, without the key, and the daemon goes on',
  async () => {
    const rows = new Map(HOSTILE_ANSWERS.map((row, at) => [`m${at}`, row]));
    const server = await serveAnswers(new Map([...rows, ['good', whole('Still here.')]]));
    const { serve, root } = createHome();
    const daemon = await serve([], { env: server.env });
    const told: string[] = [];
    const wrong: string[] = [];
    const left = [...rows];
    const worker = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const [model, row] = next;
        for (const stream of [false, true]) {
          const { status, text } = await ask(daemon.url, model, { stream });
          told.push(text);
          const isAnswer = status === 200 && !text.includes('"error"');
          const isAsSaid = row.is === 'answered' ? isAnswer : text.includes(row.is);
          if (!isAsSaid) wrong.push(`${row.name}: ${status} ${text.slice(0, 300)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(wrong).toEqual([]);
    expect((await ask(daemon.url, 'good')).text).toContain('Still here.');
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect(told.join('\n')).not.toContain(ECHOED_KEY);
    expect(kept(root)).not.toContain(ECHOED_KEY);
  },
);

verifies(
  'security:shared-breakers',
  'a client whose schema nobody can meet takes the model from nobody',
  async () => {
    const server = await serveAnswers(new Map([['shared', whole('{"x":"no"}')]]));
    const { serve, exai } = createHome();
    const daemon = await serve([], { env: { ...server.env, EXAI_TOKEN: OWNER } });
    const added = await exai(['access', 'add', 'ci', '--scope', 'gateway_chat', '--json'], {
      env: { EXAI_TOKEN: OWNER },
    });
    const { token } = JSON.parse(added.stdout) as { token: string };
    const schema = { type: 'object', properties: { x: { const: 'yes' } }, required: ['x'] };
    const wish = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
    for (let turn = 0; turn < 3; turn++) {
      const refused = await ask(daemon.url, 'shared', { response_format: wish }, token);
      expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('schema')]);
    }
    const answer = await ask(daemon.url, 'shared', {}, OWNER);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('no')]);
  },
);
