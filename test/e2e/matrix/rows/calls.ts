import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import * as z from 'zod';
import { envelopeOf } from '../../../read-envelope.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { call, expectError, failureOf, textOf, until } from './words.ts';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const MEGABYTE = 1_048_576;
const ECHO = 'json_schema_2020_12_tool';
const SLOW = 'test_reconnection';
const WORDS = 'naïve – 日本語 – עברית – 𝒳 👩‍👩‍👧 – "quoted" \\ \u2028\u2029 \u0000\u001F\t\r\n end';

export const callRows: readonly Requirement[] = [
  {
    id: 'calls:structured',
    says: 'a tool answers with a text, and with the same as data in _meta alone',
    eras: 'both',
    async run(peer) {
      const answer = await call(peer, 'version');
      const { result } = answer;
      const version = String(rpc.at(envelopeOf(result), 'content.version'));
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
      expect(textOf(answer)).toContain(`EX-AI ${version}`);
      expect(envelopeOf(result)).toMatchObject({
        status: 'success',
        tool: 'version',
        req_id: expect.stringMatching(/^req_/) as string,
        content: { protocol_versions: expect.arrayContaining([rpc.MODERN_VERSION]) as string[] },
      });
      expect(result).not.toHaveProperty('structuredContent');
      const { result: fixture } = await call(peer, 'test_simple_text');
      expect(fixture?.['structuredContent']).toEqual(envelopeOf(fixture));
    },
  },
  {
    id: 'calls:output-schema',
    says: 'the data of every tool of ours is what its output schema promises',
    eras: 'both',
    async run(peer) {
      for (const name of ['activity', 'health', 'status', 'version']) {
        const read = await peer.request('resources/read', { uri: `exai://tools/${name}` });
        const definition = JSON.parse(
          String(rpc.at(read.result, 'contents.0.text')),
        ) as rpc.Members;
        const schema = z.fromJSONSchema(definition['outputSchema'] as JsonSchema);
        const { result } = await call(peer, name);
        expect(schema.safeParse(envelopeOf(result)).error).toBeUndefined();
        expect(schema.safeParse({}).success).toBe(false);
      }
    },
  },
  {
    id: 'calls:no-arguments',
    says: 'arguments that a tool does not need may be left out',
    eras: 'both',
    async run(peer) {
      const answer = await peer.request('tools/call', { name: 'test_simple_text' });
      expect(textOf(answer)).toBe('This is a simple text response for testing.');
    },
  },
  {
    id: 'calls:image',
    says: 'a tool answers with a picture',
    eras: 'both',
    async run(peer) {
      const { result } = await call(peer, 'test_image_content');
      expect(result?.['content']).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
      const data = Buffer.from(String(rpc.at(result, 'content.0.data')), 'base64');
      expect(data.subarray(1, 4).toString()).toBe('PNG');
    },
  },
  {
    id: 'calls:audio',
    says: 'a tool answers with a sound',
    eras: 'both',
    async run(peer) {
      const { result } = await call(peer, 'test_audio_content');
      expect(result?.['content']).toMatchObject([{ type: 'audio', mimeType: 'audio/wav' }]);
      const data = Buffer.from(String(rpc.at(result, 'content.0.data')), 'base64');
      expect(data.subarray(0, 4).toString()).toBe('RIFF');
    },
  },
  {
    id: 'calls:resource',
    says: 'a tool answers with a resource',
    eras: 'both',
    async run(peer) {
      const { result } = await call(peer, 'test_embedded_resource');
      expect(result?.['content']).toEqual([
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ]);
    },
  },
  {
    id: 'calls:mixed',
    says: 'a tool answers with several things in the order it gave them',
    eras: 'both',
    async run(peer) {
      const { result } = await call(peer, 'test_multiple_content_types');
      expect(result?.['content']).toMatchObject([
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'test://mixed-content-resource' } },
      ]);
    },
  },
  {
    id: 'calls:failed',
    says: 'a tool that fails says so in its result, for the model to read',
    eras: 'both',
    async run(peer) {
      const answer = await call(peer, 'test_error_handling');
      expect(failureOf(answer)).toContain('This tool intentionally returns an error for testing');
      expect(envelopeOf(answer.result)).toMatchObject({ error_class: 'tool_error' });
    },
  },
  {
    id: 'calls:wrong-arguments',
    says: 'arguments that do not fit are told in the result, by their names',
    eras: 'both',
    async run(peer) {
      expect(failureOf(await call(peer, 'activity', { line: 3 }))).toContain('line');
      expect(failureOf(await call(peer, 'activity', { lines: 'many' }))).toContain('lines');
      expect(failureOf(await call(peer, 'test_elicitation'))).toContain('message');
    },
  },
  {
    id: 'calls:unknown',
    says: 'a tool that does not exist is a wrong parameter',
    eras: 'both',
    async run(peer, context) {
      for (const name of ['no_such_tool', 'constructor', '', '日本']) {
        expectError(await call(peer, name), rpc.INVALID_PARAMS, context);
      }
    },
  },
  {
    id: 'calls:odd',
    says: 'a call that is put together wrongly is refused',
    eras: 'both',
    async run(peer, context) {
      const odd = [
        {},
        { name: 7 },
        { name: 'version', arguments: [] },
        { name: 'version', arguments: 'x' },
      ];
      for (const params of odd) {
        expectError(await peer.request('tools/call', params), rpc.INVALID_PARAMS, context);
      }
      const meta = { progressToken: { no: 'token' } };
      expectError(await call(peer, 'version', {}, { meta }), rpc.INVALID_PARAMS, context);
    },
  },
  {
    id: 'calls:large',
    says: 'an argument of a megabyte arrives, and comes back',
    eras: 'both',
    async run(peer) {
      const name = 'a megabyte '.repeat(Math.ceil(MEGABYTE / 11));
      const text = textOf(await call(peer, ECHO, { name }));
      // Compared first, so that a failure does not print them.
      expect(text === `It was called with ${JSON.stringify({ name })}`).toBe(true);
    },
  },
  {
    id: 'calls:unicode',
    says: 'every character arrives, and comes back',
    eras: 'both',
    async run(peer) {
      const args = { name: WORDS, [WORDS]: [WORDS] };
      expect(textOf(await call(peer, ECHO, args))).toBe(
        `It was called with ${JSON.stringify(args)}`,
      );
    },
  },
  {
    id: 'calls:hostile',
    says: 'arguments with the names of what every object has are arguments like others',
    eras: 'both',
    async run(peer) {
      const json = '{"__proto__":{"a":1},"constructor":{"prototype":null},"toString":"x"}';
      const answer = await call(peer, ECHO, JSON.parse(json) as rpc.Members);
      expect(textOf(answer)).toBe(`It was called with ${json}`);
      expect(failureOf(await call(peer, 'version', JSON.parse(json) as rpc.Members))).toContain(
        'version',
      );
    },
  },
  {
    id: 'calls:cancelled',
    says: 'a call that is cancelled ends at once and is not answered',
    eras: 'both',
    runs: 'alone',
    async run(peer, { daemon }) {
      const endedSo = (outcome: string) => daemon.ended(SLOW, outcome);
      const running = async () =>
        rpc.at(envelopeOf((await call(peer, 'status')).result), 'content.load.running');
      const [cancelled, done] = [await endedSo('cancelled'), await endedSo('success')];
      const started = peer.start('tools/call', { name: SLOW });
      // The call that asks is one of them.
      await until(running, (count) => expect(count).toBe(2));
      await peer.cancel(started.id);
      const { result, error } = await started.answer;
      expect([result, error]).toEqual([undefined, undefined]);
      await until(running, (count) => expect(count).toBe(1));
      expect(await endedSo('cancelled')).toBe(cancelled + 1);
      expect(await endedSo('success')).toBe(done);
      expect(peer.strays.all).toEqual([]);
    },
  },
  {
    id: 'calls:abandoned',
    says: 'a client that is gone leaves no call behind',
    eras: 'both',
    runs: 'alone',
    except: [
      {
        transport: 'http',
        era: 'legacy',
        because: 'a session outlives the connections of its client, until the client ends it',
      },
    ],
    async run(peer, { daemon, open }) {
      const cancelled = await daemon.ended(SLOW, 'cancelled');
      const leaving = await open();
      const started = leaving.start('tools/call', { name: SLOW });
      const running = async () =>
        rpc.at(envelopeOf((await call(peer, 'status')).result), 'content.load.running');
      await until(running, (count) => expect(count).toBe(2));
      await leaving.vanish();
      await started.answer;
      await until(running, (count) => expect(count).toBe(1));
      expect(await daemon.ended(SLOW, 'cancelled')).toBe(cancelled + 1);
    },
  },
  {
    id: 'calls:slow',
    says: 'a call that takes its time is answered all the same',
    eras: 'both',
    async run(peer) {
      expect(textOf(await call(peer, SLOW))).toBe('A client that reads this has reconnected.');
    },
  },
  {
    id: 'calls:traced',
    says: 'a call belongs to the trace that its client names',
    eras: 'both',
    async run(peer, { traces }) {
      const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
      const meta = { traceparent: `00-${traceId}-${spanId}-01` };
      expect(textOf(await call(peer, 'test_simple_text', {}, { meta }))).toContain('simple');
      const mine = () => traces.spans.filter((span) => span.traceId === traceId);
      await until(mine, (spans) => expect(spans).toMatchObject([{ parentSpanId: spanId }]));
    },
  },
];
