import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { exaiIn } from './job-helpers.ts';

const NEVER_ANSWERS = { firstMs: 60_000 };

describe.each([
  { setting: 'off', env: {} },
  { setting: 'on', env: { EXAI_TOOLS_OUTPUT_SCHEMAS: 'true' } },
])('with tools.outputSchemas $setting', ({ setting, env }) => {
  let harness: ToolsHarness;
  let client: Client;
  beforeAll(async () => {
    const more = { TOOL_PROFILE: 'full', MAX_MCP_OUTPUT_TOKENS: '1000' };
    harness = await openToolsHarness({ env: { ...more, ...env } });
    client = new Client({ name: 'validating', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${harness.ownerToken}` } };
    const url = new URL(`${harness.url()}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    // The client validates structured content by the output schemas that it has listed.
    await client.listTools();
  });
  afterEach(() => harness.emulator.reset());
  afterAll(async () => {
    await client.close();
    await harness.close();
  });

  /** Calls a tool; checks where its envelope is and returns it with the text for the model. */
  async function call(name: string, args: Record<string, unknown> = {}) {
    const result = await client.callTool({ name, arguments: args });
    const envelope = envelopeOf(result);
    expect(result.structuredContent).toEqual(setting === 'on' ? envelope : undefined);
    const [first] = result.content;
    return { envelope, text: first?.type === 'text' ? first.text : '' };
  }

  verifies('tools:text-first', `${setting}: the output schemas of a list`, async () => {
    const { tools } = await client.listTools();
    const withSchema = tools.filter(({ outputSchema }) => outputSchema !== undefined);
    expect(tools.length).toBeGreaterThan(20);
    if (setting === 'off') expect(withSchema).toEqual([]);
    else expect(withSchema.length).toBeGreaterThan(20);
  });

  verifies('tools:text-first', `${setting}: an answer and a failure`, async () => {
    const chat = await call('chat', { prompt: 'Say exactly: 4 + 5 is 9.' });
    expect(chat.text).toBe('4 + 5 is 9.');
    expect(chat.envelope).toMatchObject({ status: 'success', content: '4 + 5 is 9.' });
    const version = await call('version');
    expect(version.text).toMatch(/^EX-AI [\d.]+, Node\.js/);
    expect(version.envelope.content).toHaveProperty('protocol_versions');
    const refused = await call('version', { model: 7 });
    expect(refused.envelope).toMatchObject({ error_class: 'validation', content: null });
    expect(refused.text).toContain('model');
  });

  verifies('tools:text-first', `${setting}: a page, and the rest of it`, async () => {
    const { envelope, text } = await call('listmodels');
    expect(envelope).toMatchObject({ status: 'success', content: expect.any(String) as string });
    const id = envelope.page?.id ?? '';
    expect(text).toContain(`read_result {"id": "${id}"`);
    const rest = await call('read_result', { id, offset: envelope.page?.next });
    expect(rest.envelope).toMatchObject({ status: 'success', tool: 'read_result' });
    expect(rest.text).not.toBe('');
  });

  verifies('tools:text-first', `${setting}: a job, its state and its end`, async () => {
    // Only here: on a busy machine an answer may take longer than that, too.
    expect((await exaiIn(harness, 'config', 'set', 'jobs.inlineWaitMs', '1000')).code).toBe(0);
    for (const vendor of ['kimi', 'glm', 'openrouter']) {
      harness.emulator.fault({ id: 'slow', vendor, path: 'chat', times: 0, with: NEVER_ANSWERS });
    }
    const started = await call('chat', { prompt: 'Say exactly: later', model: 'glm-5.3' });
    expect(started.envelope).toMatchObject({ status: 'running', content: null });
    const id = started.envelope.job?.id ?? '';
    expect(started.text).toContain(`{"job_id": "${id}"}`);
    const waiting = await call('job_result', { job_id: id, wait_seconds: 0 });
    expect(waiting.envelope).toMatchObject({ status: 'running', job: { id } });
    const cancelled = await call('job_cancel', { job_id: id });
    expect(cancelled.envelope).toMatchObject({ status: 'success' });
    const ended = await call('job_result', { job_id: id });
    expect(ended.envelope).toMatchObject({ job: { id, status: 'cancelled' } });
    expect((await exaiIn(harness, 'config', 'unset', 'jobs.inlineWaitMs')).code).toBe(0);
  });

  verifies('tools:text-first', `${setting}: the command line shows text and envelope`, async () => {
    expect((await exaiIn(harness, 'call', 'version')).stdout).toMatch(/^EX-AI [\d.]+, Node\.js/);
    const { stdout } = await exaiIn(harness, 'call', 'version', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', tool: 'version' });
  });
});
