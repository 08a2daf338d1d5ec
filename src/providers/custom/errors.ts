import { commandFix, fix } from '#core/messages/fixes.ts';
import type { ErrorClassification, VendorError } from '../openai-compatible/errors/vendor-error.ts';
import { asCount } from '../openai-compatible/response/json.ts';
import type { Flavour } from './flavours.ts';
import { CUSTOM_IDENTITY, type ServerIdentity } from './server-identity.ts';

const LOADING_RETRY_MS = 2_000;

interface Rule {
  readonly pattern: RegExp;
  readonly classify: (
    match: RegExpExecArray,
    error: VendorError,
    flavour: Flavour,
  ) => ErrorClassification;
}

/** Patterns of refusals of local servers, in the order in which they are tried. */
const RULES: readonly Rule[] = [
  {
    pattern: /loading model|model is loading/i,
    classify: () => ({ class: 'overloaded', retryAfterMs: LOADING_RETRY_MS }),
  },
  // vLLM; also for an output limit that leaves no room.
  {
    pattern: /maximum context length (?:is|of) (\d+)/i,
    classify: ([, tokens]) => tooLong(tokens),
  },
  // LM Studio.
  {
    pattern: /greater than the context length \(\d+ >= (\d+)\)/i,
    classify: ([, tokens]) => tooLong(tokens),
  },
  // Anthropic.
  {
    pattern: /prompt is too long: \d+ tokens > (\d+) maximum/i,
    classify: ([, tokens]) => tooLong(tokens),
  },
  { pattern: /credit balance is too low/i, classify: () => ({ class: 'billing' }) },
  {
    pattern: /no models? (?:is |are )?(?:currently )?loaded/i,
    classify: () => ({
      class: 'not_configured',
      fixes: [
        commandFix('lms load', 'load a model'),
        'Or load one on the developer page of LM Studio.',
      ],
    }),
  },
  {
    pattern: /requires? (--jinja|--enable-auto-tool-choice)/i,
    classify: ([, flag = ''], _, { title }) => ({
      class: 'not_configured',
      message: `${title} was not started for tools.`,
      fix:
        flag === '--jinja'
          ? 'Start it with --jinja.'
          : `Start it with ${flag} and --tool-call-parser.`,
    }),
  },
  {
    pattern: /does not support (tools|images?|vision)|(image input) is not supported/i,
    classify: ([, what = 'images'], _, { title }) => ({
      class: 'validation',
      message: `The model at ${title} cannot take ${/tool/i.test(what) ? 'tools' : 'pictures'}.`,
      fixes: [fix('use_other_model'), fix('set_argument', { argument: 'model', value: 'auto' })],
    }),
  },
  {
    pattern: /too large to process/i,
    classify: () => ({
      class: 'too_large',
      fix: 'Send shorter texts, or start the server with a larger batch size.',
    }),
  },
];

/** Classifies an error of any of the servers. */
export function classifyCustom(
  error: VendorError,
  flavour: Flavour,
  { provider, settings }: ServerIdentity = CUSTOM_IDENTITY,
): ErrorClassification | undefined {
  const { status, message, body, type } = error;
  const window = asCount(body['n_ctx']);
  if (window !== undefined && type === 'exceed_context_size_error') return tooLong(String(window));
  const text = message === '' ? JSON.stringify(body).slice(0, 2_000) : message.slice(0, 2_000);
  for (const { pattern, classify } of RULES) {
    const match = pattern.exec(text);
    if (match) return classify(match, error, flavour);
  }
  if (status === 401 || status === 403)
    return {
      class: 'auth',
      fixes: [
        fix('add_key', { provider }),
        fix('set_setting', { setting: settings.key, value: 'a key of this server' }),
      ],
    };
  if (status === 404 || status === 405) return notFoundError(text, flavour, settings.url);
  return undefined;
}

function tooLong(tokens: string | undefined): ErrorClassification {
  const contextTokens = asCount(tokens);
  return {
    class: 'context_length',
    ...(contextTokens !== undefined && contextTokens > 0 && { contextTokens }),
  };
}

/** A missing model, or a wrong address. */
function notFoundError(text: string, flavour: Flavour, setting: string): ErrorClassification {
  const model =
    /model[: ]+["'`]?(\w[\w./:@-]{0,79}?)["'`]? (?:does not exist|not found)|model not found:? ["'`]?(\w[\w./:@-]{0,79})|^model: (\w[\w./:@-]{0,79})$/i.exec(
      text,
    );
  const name = model?.[1] ?? model?.[2] ?? model?.[3];
  if (name !== undefined) return { class: 'not_found', fixes: [flavour.getModel(name)] };
  return {
    class: 'not_found',
    fixes: [
      fix('correct_setting', { setting }),
      'Most servers answer below /v1, such as http://127.0.0.1:11434/v1.',
    ],
  };
}
