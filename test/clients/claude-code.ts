import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cite, command, envFlags, headerFlags, initFor } from './client.ts';
import type { Client, Target } from './client.ts';
import type { Sandbox } from './sandbox.ts';
import { createScriptedModel } from './scripted-model.ts';

const QUIET = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

export const claudeCode: Client = {
  name: 'Claude Code',
  how: { is: 'run', program: 'claude' },
  ways: ['shim', 'init', 'http', 'sse'],
  connect(target) {
    if (target.kind === 'written') return initFor(target, 'claude-code');
    const add = ['mcp', 'add', '--scope', 'user'];
    if (target.kind === 'local')
      return command(
        'claude',
        ...add,
        'exai',
        ...envFlags('--env', target),
        '--',
        target.command,
        ...target.args,
      );
    return command(
      'claude',
      ...add,
      '--transport',
      target.transport,
      'exai',
      target.url,
      ...headerFlags('--header', target),
    );
  },
  async prove(target, sandbox) {
    const model = await createScriptedModel();
    const env = { ...QUIET, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' };
    try {
      await setUp(target, sandbox);
      const { stdout } = await sandbox.run(['claude', 'mcp', 'list'], { env });
      if (!/^exai: .*Connected/m.test(stdout)) throw new Error('claude mcp list is not connected');
      const ask = ['claude', '-p', 'Which version?', '--allowedTools', 'mcp__exai'];
      await sandbox.run([...ask, '--output-format', 'stream-json', '--verbose'], { env });
      return model.proof();
    } finally {
      model.close();
    }
  },
  async refused(target, sandbox) {
    await setUp(target, sandbox);
    const log = join(sandbox.home, 'debug.log');
    const list = ['claude', '--debug-file', log, 'mcp', 'list'];
    const { stdout } = await sandbox.run(list, { env: QUIET });
    const [error = ''] =
      readFileSync(log, 'utf8')
        .match(/\[ERROR\] MCP server.*$/gm)
        ?.slice(-1) ?? [];
    return [
      cite('`claude mcp list`', /^exai: .* - (.*)$/m, stdout),
      cite('with `--debug-file`', /MCP server "exai" (?:Connection failed: )?(.*)/, error),
    ];
  },
};

async function setUp(target: Target, sandbox: Sandbox): Promise<void> {
  sandbox.write('.claude.json', '{}');
  await sandbox.setUp(claudeCode.connect(target), { env: QUIET });
}
