import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import type { AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { openIntake, type IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import type { SecretsPolicy } from '#files/intake/check-secrets.ts';
import { createSentTextsCheck } from '#files/intake/check-sent-texts.ts';
import { providerFileTools } from '#tools/kimi-files/index.ts';
import { askSuite } from '../cases/ask-suite.ts';
import type { AskRig } from '../cases/ask-under-test.ts';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite();
let bench: IntakeBench;
let traces: string;
let count = 0;

beforeEach(async () => {
  bench = await openIntake();
});
afterEach(() => bench.close());
beforeAll(() => {
  traces = mkdtempSync(join(tmpdir(), 'exai-traces-'));
});
afterAll(() => {
  rmSync(traces, { recursive: true, force: true });
});

/** A PDF that no other test has, and what it says. */
function newPdf(): { readonly name: string; readonly says: string } {
  count += 1;
  const says = `The lighthouse ${count} is ${count * 11} metres high`;
  const name = `tower-${count}.pdf`;
  bench.write(`project/${name}`, makePdf(says));
  return { name, says };
}

interface Called {
  readonly content: Record<string, unknown>;
  readonly text: string;
  readonly reports: readonly AskReport[];
  readonly codes: readonly string[];
}

/** The tools on a real manager and a real intake. */
function toolsOf(rig: AskRig, secrets: SecretsPolicy = 'warn') {
  const tools = providerFileTools({
    uploads: rig.uploads,
    fileIntake: bench.intake,
    checkSentTexts: createSentTextsCheck({ secrets, clock: systemClock }),
    modelDirectory: { models: () => [] } as Pick<ModelDirectory, 'models'>,
    clock: systemClock,
    async saveTrace(name, text) {
      writeFileSync(join(traces, name), text);
      return join(traces, name);
    },
  });
  return async function call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    principal = 'local',
  ): Promise<Called> {
    const tool = tools.find((each) => each.name === name) as Tool;
    const by = rig.by({ tool: name });
    const caller = { ...by.caller, ...bench.caller(principal).caller, principal };
    const reports: AskReport[] = [];
    const context = {
      ...by,
      caller,
      args,
      answers: {},
      clientCapabilities: [],
      progress: () => undefined,
      ask: (request: AskRequest, listener: AskListener) =>
        rig.manager.ask(
          request,
          { ...by, caller },
          { ...listener, onReport: (report) => void reports.push(report) },
        ),
    } as unknown as ToolContext;
    const result = (await tool.run(tool.parse(args), context)) as ToolResult;
    const asked = [...(result.askReports ?? []), ...reports];
    return {
      content: result.content as Record<string, unknown>,
      text: result.text,
      reports: asked,
      codes: [...(result.notices ?? []), ...asked.flatMap(({ notices }) => notices)].map(
        ({ code }) => code,
      ),
    };
  };
}

type Uploaded = {
  readonly file_id: string;
  readonly status: string;
  readonly sha256: string;
  readonly cached: boolean;
};
const filesIn = ({ content }: Called) => content['files'] as readonly Uploaded[];

const uploadsSeen = () =>
  suite
    .harness()
    .emulator.requests()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/files')).length;

describe('kimi_upload_and_extract', () => {
  verifies('uploads:cache', 'returns ids, and finds a content again under any form', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { name, says } = newPdf();
    const first = await call('kimi_upload_and_extract', { files: [name], include_text: true });
    expect(filesIn(first)).toMatchObject([{ status: 'ready', cached: false }]);
    expect(first.text).toContain(says);
    expect(first.codes).toContain('first_upload');
    expect(first.reports[0]?.attempts).toMatchObject([
      { provider: 'kimi', model: 'files', outcome: 'ok' },
    ]);
    const content = readFileSync(join(bench.root, name)).toString('base64');
    const second = await call('kimi_upload_and_extract', {
      files: [`data:application/pdf;base64,${content}`],
    });
    expect(filesIn(second)).toMatchObject([
      { file_id: filesIn(first)[0]?.file_id, sha256: filesIn(first)[0]?.sha256, cached: true },
    ]);
    expect(second.reports[0]?.attempts).toEqual([]);
    // chat by the same content uploads nothing either.
    await call('kimi_multi_file_chat', { files: [name], prompt: 'How high is it?' });
    expect(uploadsSeen()).toBe(1);
  });

  verifies('uploads:forgotten', 'knows the text of what Kimi has forgotten', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { name } = newPdf();
    await call('kimi_upload_and_extract', { files: [name] });
    const { emulator } = suite.harness();
    emulator.fault({ id: 'F15.forgot', vendor: 'kimi', path: '/files' });
    // The owner's list makes it forget; the text is known, and the id is verified when it is old.
    await call('kimi_manage_files', { action: 'list' });
    const sha256 = filesIn(await call('kimi_upload_and_extract', { files: [name] }))[0]?.sha256;
    const { result } = await rig.uploads.run('kimi', rig.by(), async (uploads, context) => {
      const text = await uploads.knownText(sha256 ?? '', ['kimi']);
      return { text, list: await uploads.list(ownerOf('account'), context) };
    });
    expect(result.text?.text).toContain('lighthouse');
    expect(result.list).toEqual([]);
  });

  verifies('uploads:purposes', 'takes assistants for file-extract, with a notice', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { codes } = await call('kimi_upload_and_extract', {
      files: [newPdf().name],
      purpose: 'assistants',
    });
    expect(codes).toContain('upload_purpose_changed');
    const glm = await call('glm_upload_file', { file: newPdf().name, purpose: 'assistants' });
    expect(glm.content).toMatchObject({ purpose: 'agent', cached: false, status: 'ready' });
    expect(glm.codes).toContain('upload_purpose_changed');
  });
});

const ownerOf = (scope: 'own' | 'account') =>
  ({ provider: 'kimi', principal: 'local', scope }) as const;

describe('kimi_multi_file_chat', () => {
  verifies('uploads:fallback', 'answers by GLM, then locally, as Kimi and GLM die', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { name, says } = newPdf();
    const { emulator } = suite.harness();
    const uploaded = await call('kimi_upload_and_extract', { files: [newPdf().name] });
    const id = filesIn(uploaded)[0]?.file_id;
    emulator.fault({ id: 'F5.reset', vendor: 'kimi', times: 0 });
    const args = { files: [name], file_ids: [id], prompt: 'How high is the lighthouse?' };
    const byGlm = await call('kimi_multi_file_chat', args);
    expect(byGlm.reports.at(-1)).toMatchObject({ provider: 'glm' });
    expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain(says);
    for (const vendor of ['glm', 'openrouter', 'ollama'])
      emulator.fault({ id: 'F5.reset', vendor, times: 0 });
    const local = await call('kimi_multi_file_chat', args);
    expect(local.reports.at(-1)).toMatchObject({ provider: 'extractive', quality: 'degraded' });
    expect(local.text).toContain('metres high');
  });

  verifies('uploads:owner', 'refuses the file id of another client as unknown', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const uploaded = await call('kimi_upload_and_extract', { files: [newPdf().name] }, 'ann');
    const id = filesIn(uploaded)[0]?.file_id;
    const asked = { file_ids: [id], prompt: 'What does it say?' };
    const byAnn = await call('kimi_multi_file_chat', asked, 'ann');
    expect(byAnn.reports.at(-1)).toMatchObject({ provider: 'kimi' });
    await expect(call('kimi_multi_file_chat', asked, 'bob')).rejects.toMatchObject({
      class: 'not_found',
    });
    await expect(
      call('kimi_manage_files', { action: 'delete', file_id: id }, 'bob'),
    ).rejects.toMatchObject({ class: 'not_found' });
    const listed = await call('kimi_manage_files', { action: 'list' }, 'bob');
    expect(listed.content['files']).toEqual([]);
  });
});

verifies(
  'files:secrets',
  'kimi_multi_file_chat scans the text of an upload, which another model may get',
  async () => {
    const rig = await suite.rig();
    const key = `AKIA${'QWERTYUIOPASDFGH'}`;
    bench.write('project/deploy.pdf', makePdf(`The harbour key is ${key}`));
    const uploaded = await toolsOf(rig)('kimi_upload_and_extract', { files: ['deploy.pdf'] });
    const args = { file_ids: [filesIn(uploaded)[0]?.file_id], prompt: 'What is the key for?' };
    const warned = await toolsOf(rig)('kimi_multi_file_chat', args);
    expect(warned.codes).toContain('file_secrets_found');
    const asked = rig.chats('kimi').length;
    const refused = toolsOf(rig, 'block')('kimi_multi_file_chat', args);
    await expect(refused).rejects.toMatchObject({ class: 'permission', field: 'file_ids' });
    await expect(refused).rejects.not.toThrow(key);
    expect(rig.chats('kimi')).toHaveLength(asked);
  },
);

describe('kimi_manage_files', () => {
  verifies('uploads:owner', 'deletes a file at Kimi with its last owner', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { name } = newPdf();
    const id = filesIn(await call('kimi_upload_and_extract', { files: [name] }, 'ann'))[0]?.file_id;
    await call('kimi_upload_and_extract', { files: [name] }, 'bob');
    await call('kimi_manage_files', { action: 'delete', file_id: id }, 'ann');
    const ofBob = await call('kimi_manage_files', { action: 'get', file_id: id }, 'bob');
    expect(ofBob.content).toMatchObject({ total: 1 });
    const cleaned = await call(
      'kimi_manage_files',
      { action: 'cleanup', older_than_days: 0 },
      'bob',
    );
    expect(cleaned.content).toMatchObject({ deleted: [id] });
    const { content } = await call('kimi_manage_files', { action: 'list' });
    expect(content['files']).toEqual([]);
  });
});

describe('kimi_capture_headers', () => {
  verifies('uploads:trace', 'writes the trace of an answer, without the key', async () => {
    const rig = await suite.rig();
    const call = toolsOf(rig);
    const { content } = await call('kimi_capture_headers', {
      messages: 'Say hello.',
      model: 'kimi-k2.6',
      session_id: 'session 7',
    });
    expect(content).toMatchObject({ status: 200, cache: { attached: false } });
    const text = readFileSync(String(content['trace']), 'utf8');
    expect(asPalaceReads(text)).toMatchObject({
      metadata: {
        status: '200 OK',
        chatcmpl: expect.any(String),
        request_id: expect.any(String),
        request_content_type: 'application/json',
        response_content_type: 'application/json',
      },
      request: { url: expect.stringContaining('/chat/completions'), body: { model: 'kimi-k2.6' } },
      response: { header: expect.stringContaining('Msh-Request-Id: '), body: { choices: [{}] } },
      category: 'goodcase',
      tags: ['session 7'],
    });
    expect(text).not.toContain('sk-asking');
    expect(text.toLowerCase()).not.toContain('authorization');
  });

  verifies(
    'uploads:trace',
    'writes the refusal of a failed request, which support needs',
    async () => {
      const rig = await suite.rig();
      const call = toolsOf(rig);
      suite.harness().emulator.fault({ id: 'F2', vendor: 'kimi', times: 0 });
      const before = new Set(readdirSync(traces));
      await expect(
        call('kimi_capture_headers', { messages: 'Say hello.', model: 'kimi-k2.6' }),
      ).rejects.toMatchObject({ class: 'billing' });
      const [file = ''] = readdirSync(traces).filter((name) => !before.has(name));
      const trace = asPalaceReads(readFileSync(join(traces, file), 'utf8'));
      expect(trace).toMatchObject({
        metadata: { status: '429 Too Many Requests' },
        response: { body: { error: { type: 'exceeded_current_quota_error' } } },
        category: 'badcase',
      });
      expect(trace).not.toHaveProperty('tags');
    },
  );
});

/** What `moonpalace export` writes: these fields in this order, all metadata as text. */
function asPalaceReads(text: string): Record<string, unknown> {
  const trace = JSON.parse(text) as Record<string, Record<string, unknown>>;
  const fields = Object.keys(trace);
  expect(['metadata', 'request', 'response', 'category', 'tags']).toEqual(
    expect.arrayContaining(fields),
  );
  expect(fields.slice(0, 3)).toEqual(['metadata', 'request', 'response']);
  const { metadata = {}, request = {}, response = {} } = trace;
  expect(Object.keys(metadata)).toEqual(Object.keys(metadata).toSorted());
  for (const value of Object.values(metadata)) expect(value).toEqual(expect.any(String));
  expect(metadata['requested_at']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(Object.keys(request)).toEqual(['url', 'header', 'body']);
  expect(Object.keys(response)).toEqual(['status', 'header', 'body']);
  const header = /^(?:[A-Z][^:\r\n]*: [^\r\n]*\r\n)+$/;
  expect(request['header']).toMatch(header);
  expect(response['header']).toMatch(header);
  return trace;
}
