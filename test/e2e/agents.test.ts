import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { everythingOverStdio } from './upstream-servers.ts';

const TOKEN = 'Ow7Kd2Xm9Qv4Tz8Rb1Nc6Lp3Hs5-owner';

verifies(
  'access:explain',
  'rows and decisions of agents are explained, and changed ones count at once',
  async () => {
    const { exai, serve, path } = createHome();
    const config = { mcpServers: { composio: everythingOverStdio() } };
    writeFileSync(path('config.json'), JSON.stringify(config), { mode: 0o600 });
    await serve();
    await exai(['servers', 'restart', 'composio']);
    const explain = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await exai(['access', 'explain', ...args]);
      return { code, said: `${stdout}${stderr}` };
    };
    const main = await explain('--agent', 'main');
    expect(main.code).toBe(0);
    expect(main.said).toContain('deny:local_toolkit/save_corpus\n');
    expect(main.said).toContain('main of local may call ');
    const sum = 'mcp__composio__get-sum';
    const report = ['--agent', 'report-creation-expert', sum];
    expect(await explain(...report)).toEqual({
      code: 5,
      said: expect.stringContaining(
        'No row of the agent report-creation-expert covers composio/get-sum.',
      ) as string,
    });
    const unknown = await explain('--agent', 'mian', sum);
    expect([unknown.code, unknown.said]).toEqual([6, expect.stringContaining('"main"')]);

    const access = ['composio/get-sum args.a=2'];
    const agents = { 'report-creation-expert': { access } };
    writeFileSync(path('config.json'), JSON.stringify({ ...config, agents }), { mode: 0o600 });
    expect((await exai(['config', 'reload'])).code).toBe(0);
    const some = await explain(...report);
    expect([some.code, some.said]).toEqual([0, expect.stringContaining('--args')]);
    expect((await explain(...report, '--args', '{"a": 2}')).code).toBe(0);
    expect((await explain(...report, '--args', '{"a": 3}')).code).toBe(5);
    const wrong = { agents: { main: { access: ['everything'] } } };
    writeFileSync(path('config.json'), JSON.stringify(wrong), { mode: 0o600 });
    expect((await exai(['config', 'reload'])).stderr).toContain('must be a row of an agent');
  },
);

verifies(
  'access:agents',
  'no client is an agent by what it sends, and none loses or gains by it',
  async () => {
    const { exai, serve } = createHome();
    const { url } = await serve([], { env: { EXAI_TOKEN: TOKEN } });
    const call = async (headers: object, meta: object, more: object = {}) => {
      const answer = await fetch(new URL('/mcp', url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'version',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          ...more,
          params: {
            name: 'version',
            arguments: {},
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
              'io.modelcontextprotocol/clientInfo': { name: 'main', version: '1' },
              ...meta,
            },
          },
        }),
      });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const agent = 'report-creation-expert';
    for (const [headers, meta, more] of [
      [{ 'x-exai-agent': agent, agent, 'user-agent': agent }, {}, {}],
      [{}, { agent, 'exai/agent': agent, 'io.modelcontextprotocol/agent': agent }, {}],
      [{}, {}, { agent, caller: { agent } }],
      [{ 'x-forwarded-agent': agent, baggage: `agent=${agent}` }, { caller: { agent } }, {}],
    ] as const) {
      expect(await call(headers, meta, more)).toContain('"status":"success"');
    }
    const args = JSON.stringify({ source: 'activity', lines: 50, structured: true });
    const { stdout } = await exai(['call', 'activity', '--json', '--args', args]);
    const agents = stdout.match(/"agent": ?[^,}\n]*/g) ?? [];
    expect(agents.length).toBeGreaterThanOrEqual(4);
    expect(agents.filter((each) => !each.endsWith('null'))).toEqual([]);
  },
);
