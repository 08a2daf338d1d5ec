import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { openIntake, type IntakeBench } from '#files/intake/intake.fixture.ts';
import { planner } from '#tools/planner/planner.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { verifies } from '../verifies.ts';

let opened: OpenedThreads;
let bench: IntakeBench;
let tool: Tool;
beforeEach(async () => {
  bench = await openIntake();
  bench.write('project/goal.md', 'The goal is a new store.');
  opened = await openThreads();
  tool = planner({ threads: opened.threads, fileIntake: bench.intake });
});
afterEach(async () => {
  await opened.close();
  await bench.close();
});

const FIRST = {
  step: 'Move to a new store.',
  step_number: 1,
  total_steps: 5,
  next_step_required: true,
};

describe('files of a plan', () => {
  async function callWith(files: readonly unknown[]) {
    const args = { ...FIRST, files };
    const context = { ...bench.caller('local'), args } as unknown as ToolContext;
    return (await tool.run(tool.parse(args), context)) as ToolResult;
  }

  verifies('planner:files', 'are kept, so that a later question finds them', async () => {
    const inline = { filename: 'limits.txt', content: Buffer.from('two weeks').toString('base64') };
    const { continuation } = await callWith(['goal.md', inline]);
    const thread = await opened.threads.open({
      principal: 'local',
      id: continuation?.id,
      about: 'x',
    });
    expect(thread.files).toEqual([
      expect.stringContaining('goal.md'),
      expect.stringContaining('exai://files/'),
    ]);
  });

  verifies('planner:files', 'that cannot be read are refused, and no step is stored', async () => {
    const before = await opened.threads.list('local', 100);
    await expect(callWith(['none.md'])).rejects.toMatchObject({ class: 'not_found' });
    expect(await opened.threads.list('local', 100)).toEqual(before);
  });
});
