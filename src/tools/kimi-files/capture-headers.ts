import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import type { CapturedRequest } from '#core/llm/captured-request.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { isMachineOwner } from '../reporting/visibility.ts';
import * as fields from '../shared/fields.ts';
import { palaceTrace } from './palace-trace.ts';

export interface CaptureDeps {
  readonly modelDirectory: Pick<ModelDirectory, 'models'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Writes a trace to a file with this name; returns its path. */
  readonly saveTrace: (name: string, text: string) => Promise<string>;
}

const USUAL_ROLE = 'kimiSpeed';
const USUAL_TEMPERATURE = 0.6;
const MAX_MESSAGES = 1000;

const messagesField = z.union([
  fields.promptField,
  z
    .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .min(1)
    .max(MAX_MESSAGES),
]);
const label = z.string().max(200).optional();

/** Asks Kimi once and keeps what went over the wire, for support tickets. */
export function kimiCaptureHeaders({ modelDirectory, clock, saveTrace }: CaptureDeps): Tool {
  return defineTool({
    name: 'kimi_capture_headers',
    title: 'Trace a Kimi request',
    description:
      'Ask Kimi once, without fallback, and return the response headers, the cache use, and a trace file in the format of MoonPalace.',
    help: 'The trace has the whole request and response, without the key. It is for support tickets of Moonshot, and lies in EXAI_HOME/logs/moonpalace.',
    input: z.strictObject({
      messages: messagesField.describe('A text, or messages.'),
      model: fields.modelField.optional(),
      temperature: fields.temperatureField.default(USUAL_TEMPERATURE),
      session_id: label.describe('A tag of the trace, like the next two.'),
      call_key: label.describe('A tag of the trace.'),
      tool_name: label.describe('A tag of the trace.'),
    }),
    output: z.strictObject({
      text: z.string(),
      model: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.string()),
      cache: z.strictObject({ attached: z.boolean(), saved: z.number() }),
      trace: z.string().optional(),
    }),
    effect: 'reads',
    openWorld: true,
    tier: 'backend',
    affinity: 'kimi',
    profile: 'full',
    pool: 'provider',
    async run(args, context) {
      const requestedAtMs = clock.now();
      const tags = [args.session_id, args.call_key, args.tool_name].filter(
        (tag) => tag !== undefined && tag !== '',
      );
      let captured: CapturedRequest | undefined;
      const save = async () =>
        captured &&
        saveTrace(
          `${context.reqId}.json`,
          `${JSON.stringify(palaceTrace(captured, { reqId: context.reqId, requestedAtMs, tags: tags.map(String) }), null, 4)}\n`,
        );
      const request: AskRequest = {
        model: modelOf(args.model, modelDirectory),
        messages: toMessages(args.messages),
        sampling: { temperature: args.temperature },
        search: 'off',
        delivery: 'whole',
        fallback: 'none',
        lastResort: 'none',
      };
      const onCapture = (each: CapturedRequest) => (captured = each);
      const answer = await context.ask(request, { onCapture }).catch(async (thrown: unknown) => {
        // The trace of a failure is what a support ticket needs.
        await save();
        throw thrown;
      });
      const path = await save();
      if (!captured) throw new CallError('internal', 'No request to Kimi was captured.');
      const { status, responseHeaders: headers } = captured;
      const saved = answer.usage?.cached ?? 0;
      const attached = saved > 0 || headers['msh-context-cache-id'] !== undefined;
      const trace = isMachineOwner(context.caller) ? path : undefined;
      const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      return {
        text: [answer.text, ...shown, ...(trace === undefined ? [] : [`Trace: ${trace}`])].join(
          '\n',
        ),
        content: {
          text: answer.text,
          model: answer.model,
          status,
          headers: { ...headers },
          cache: { attached, saved },
          ...(trace !== undefined && { trace }),
        },
      };
    },
  });
}

function toMessages(given: z.output<typeof messagesField>): readonly ChatMessage[] {
  if (typeof given === 'string') return [{ role: 'user', content: given }];
  return given.map(({ role, content }) => ({ role, content }) as ChatMessage);
}

function modelOf(
  given: string | undefined,
  modelDirectory: Pick<ModelDirectory, 'models'>,
): string {
  const name = given?.trim() ?? '';
  const ours = modelDirectory.models().filter(({ model }) => model.provider === 'kimi');
  if (name !== '' && name.toLowerCase() !== 'auto') return name;
  const usual = ours.find(({ roles }) => roles.includes(USUAL_ROLE));
  const found = usual ?? ours.find(({ isUsable }) => isUsable) ?? ours[0];
  if (found) return found.model.id;
  throw new CallError('not_configured', 'There is no model of Kimi here.', {
    field: 'model',
    fix: 'Run exai keys add kimi.',
  });
}
