import { isObject } from '../is-object.ts';
import { compose } from '../local/compose.ts';
import { modelOf } from '../openai/model-of.ts';
import { countPrompt } from '../openai/prompt.ts';
import { throughFaults } from '../openai/through-faults.ts';
import { createSwitches } from '../switches.ts';
import type { Ask, Fault, FaultAnswer, Reply, Vendor } from '../vendor.ts';
import { invalid, readMessages, type Refusal } from './read-messages.ts';
import { streamMessage, wholeMessage } from './write-message.ts';

/** The models, and whether they always think. */
const MODELS: Readonly<Record<string, { readonly thinks: boolean }>> = {
  'claude-opus-5-5': { thinks: true },
  'claude-sonnet-4-5': { thinks: false },
  'claude-haiku-4-5': { thinks: false },
};

const WINDOW = 200_000;

/** Anthropic. Keys are `sk-ant-…`; `sk-ant-wrong…` is unknown, `sk-ant-poor…` has no credit. */
export function createAnthropic(): Vendor<{ version: string }> {
  const toggles = createSwitches({ version: '2023-06-01' as string }, {});
  const { switches } = toggles;
  let made = 0;

  const refuse = (reply: Reply, { status, type, message }: Refusal, headers = {}): Promise<void> =>
    reply.json(
      status,
      { type: 'error', error: { type, message }, request_id: `req_${made}` },
      { 'request-id': `req_${made}`, ...headers },
    );

  function check(ask: Ask): Refusal | undefined {
    const key = ask.headers['x-api-key'] ?? '';
    if (!key.startsWith('sk-ant-') || key.startsWith('sk-ant-wrong'))
      return { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
    if (ask.headers['anthropic-version'] !== switches.version)
      return invalid('anthropic-version: header is required');
    return undefined;
  }

  async function chat(ask: Ask, reply: Reply): Promise<void> {
    const body = ask.json;
    if (!isObject(body)) return refuse(reply, invalid('The request body is not valid JSON'));
    if ((ask.headers['x-api-key'] ?? '').startsWith('sk-ant-poor')) return refuse(reply, NO_CREDIT);
    const name = modelOf(body);
    const model = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
    if (!model) return refuse(reply, noModel(name));
    const read = readMessages(body);
    if ('status' in read) return refuse(reply, read);
    const { messages, tools, toolChoice } = read;
    const inputTokens = countPrompt(messages, tools).total;
    if (inputTokens > WINDOW)
      return refuse(
        reply,
        invalid(`prompt is too long: ${inputTokens} tokens > ${WINDOW} maximum`),
      );
    const said = compose({
      body: {
        messages,
        ...(tools.length > 0 && { tools, tool_choice: toolChoice }),
        stop: body['stop_sequences'],
        // A model that is told to write JSON does so.
        ...(/\bJSON\b/.test(String(body['system'])) && {
          response_format: { type: 'json_object' },
        }),
      },
      messages,
      thinks: model.thinks,
      maxTokens: Number(body['max_tokens']),
      fault: ask.fault,
    });
    made += 1;
    const id = `msg_${made.toString(36).padStart(24, '0')}`;
    const message = { id, model: name, said, inputTokens, fault: ask.fault };
    if (body['stream'] === true) return streamMessage(reply, message);
    if (ask.fault?.id === 'F11.error') return refuse(reply, OVERLOADED);
    return reply.json(200, wholeMessage(message), { 'request-id': `req_${made}` });
  }

  const says =
    (error: (ask: Ask) => Refusal, headers?: (fault: Fault) => object): FaultAnswer =>
    async (ask, reply, fault): Promise<'answered'> => {
      await refuse(reply, error(ask), headers?.(fault) ?? {});
      return 'answered';
    };

  return {
    name: 'anthropic',
    prefix: '/anthropic/v1',
    switches,
    reset() {
      toggles.reset();
      made = 0;
    },
    async handle(ask, reply) {
      const refusal = check(ask);
      if (refusal) return refuse(reply, refusal);
      if (ask.method === 'GET' && ask.path === '/models') return reply.json(200, listed());
      if (ask.method === 'POST' && ask.path === '/messages') return chat(ask, reply);
      return refuse(reply, { status: 404, type: 'not_found_error', message: 'Not Found' });
    },
    faults: {
      F1: says(
        () => ({
          status: 429,
          type: 'rate_limit_error',
          message: 'This request would exceed your organization’s rate limit',
        }),
        (fault) => ({ 'retry-after': String(Number(fault.with?.['seconds'] ?? 1)) }),
      ),
      F2: says(() => NO_CREDIT),
      F3: says(() => OVERLOADED),
      F10: says((ask) => noModel(modelOf(ask.json))),
      F16: says(() => ({
        status: 401,
        type: 'authentication_error',
        message: 'invalid x-api-key',
      })),
      ...throughFaults(),
    },
    faultOptions: { F1: ['seconds'] },
  };
}

const OVERLOADED: Refusal = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
const NO_CREDIT = invalid(
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
);
const noModel = (name: string): Refusal => ({
  status: 404,
  type: 'not_found_error',
  message: `model: ${name}`,
});

function listed(): object {
  const ids = Object.keys(MODELS);
  return {
    data: ids.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
    })),
    has_more: false,
    first_id: ids[0],
    last_id: ids.at(-1),
  };
}
