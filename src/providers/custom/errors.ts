import { command, fix } from '#core/messages/fixes.ts';
import type { Judgement, VendorError } from '../wire/read-error.ts';
import { asCount } from '../wire/json-read.ts';
import type { Flavour } from './flavours.ts';

const LOADING_RETRY_MS = 2_000;

interface Rule {
  readonly words: RegExp;
  readonly judge: (match: RegExpExecArray, error: VendorError, flavour: Flavour) => Judgement;
}

/** What local servers say when they refuse, in the order in which it is looked for. */
const RULES: readonly Rule[] = [
  {
    words: /loading model|model is loading/i,
    judge: () => ({ class: 'overloaded', retryAfterMs: LOADING_RETRY_MS }),
  },
  // vLLM; also its complaint about an output limit that leaves no room.
  {
    words: /maximum context length (?:is|of) (\d+)/i,
    judge: ([, tokens]) => tooLong(tokens),
  },
  // LM Studio.
  {
    words: /greater than the context length \(\d+ >= (\d+)\)/i,
    judge: ([, tokens]) => tooLong(tokens),
  },
  {
    words: /no models? (?:is |are )?(?:currently )?loaded/i,
    judge: () => ({
      class: 'not_configured',
      fixes: [
        command('lms load', 'load a model'),
        'Or load one on the developer page of LM Studio.',
      ],
    }),
  },
  {
    words: /requires? (--jinja|--enable-auto-tool-choice)/i,
    judge: ([, flag = ''], _, { title }) => ({
      class: 'not_configured',
      message: `${title} was not started for tools.`,
      fix:
        flag === '--jinja'
          ? 'Start it with --jinja.'
          : `Start it with ${flag} and --tool-call-parser.`,
    }),
  },
  {
    words: /does not support (tools|images?|vision)|(image input) is not supported/i,
    judge: ([, what = 'images'], _, { title }) => ({
      class: 'validation',
      message: `The model at ${title} cannot take ${/tool/i.test(what) ? 'tools' : 'pictures'}.`,
      fixes: [fix('use_other_model'), fix('set_argument', { argument: 'model', value: 'auto' })],
    }),
  },
  {
    words: /too large to process/i,
    judge: () => ({
      class: 'too_large',
      fix: 'Send shorter texts, or start the server with a larger batch size.',
    }),
  },
];

/** What a refusal of a server means, whichever of them it is. */
export function classifyCustom(error: VendorError, flavour: Flavour): Judgement | undefined {
  const { status, message, body, type } = error;
  const window = asCount(body['n_ctx']);
  if (window !== undefined && type === 'exceed_context_size_error') return tooLong(String(window));
  const said = message === '' ? JSON.stringify(body).slice(0, 2_000) : message.slice(0, 2_000);
  for (const { words, judge } of RULES) {
    const match = words.exec(said);
    if (match) return judge(match, error, flavour);
  }
  if (status === 401 || status === 403)
    return {
      class: 'auth',
      fixes: [
        fix('add_key', { provider: 'custom' }),
        fix('set_setting', { setting: 'CUSTOM_API_KEY', value: 'a key of this server' }),
      ],
    };
  if (status === 404 || status === 405) return notThere(said, flavour);
  return undefined;
}

function tooLong(tokens: string | undefined): Judgement {
  const contextTokens = asCount(tokens);
  return {
    class: 'context_length',
    ...(contextTokens !== undefined && contextTokens > 0 && { contextTokens }),
  };
}

/** A model that is missing, or an address at which there is nothing. */
function notThere(said: string, flavour: Flavour): Judgement {
  const model =
    /model[: ]+["'`]?(\w[\w./:@-]{0,79}?)["'`]? (?:does not exist|not found)|model not found:? ["'`]?(\w[\w./:@-]{0,79})/i.exec(
      said,
    );
  const name = model?.[1] ?? model?.[2];
  if (name !== undefined) return { class: 'not_found', fixes: [flavour.getModel(name)] };
  return {
    class: 'not_found',
    fixes: [
      fix('correct_setting', { setting: 'CUSTOM_API_URL' }),
      'Most servers answer below /v1, such as http://127.0.0.1:11434/v1.',
    ],
  };
}
