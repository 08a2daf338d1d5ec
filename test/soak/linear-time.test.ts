import { describe, expect, test } from 'vitest';
import { visibleText } from '#calls/elicitation.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { cutCharacters } from '#core/text/cut-words.ts';
import { queryTerms, searchTerms } from '#core/text/search-terms.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import { oneLine } from '#core/text/text.ts';
import { parseUriTemplate } from '#calls/content-callables.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { NO_IGNORE_RULES } from '#files/ignore-rules.ts';
import { jobTitle } from '#jobs/job-codec.ts';
import { looksLikeCode } from '#manager/classify/facts.ts';
import { readBlocks } from '#manager/context/sections.ts';
import { detectRecency } from '#manager/classify/recency.ts';
import { endsSentence } from '#manager/run/complete-answer.ts';
import { isModelName, nameKey } from '#models/model-name.ts';
import { checkUrl } from '#net/ssrf/check-url.ts';
import { classifyCustom } from '#providers/custom/errors.ts';
import { FLAVOUR } from '#providers/custom/flavours.ts';
import { splitMaterial } from '#providers/extractive/sources.ts';
import { classifyOpenRouter } from '#providers/openrouter/errors.ts';
import { createThinkTagParser } from '#providers/openai-compatible/response/think-tags.ts';
import { findJson } from '#core/json/model-json.ts';
import { readVendorError } from '#providers/openai-compatible/errors/vendor-error.ts';
import { refusedFieldOf } from '#providers/openai-compatible/follow-up/learned-quirks.ts';
import { createPatterns } from '#core/json-schema/pattern/match-pattern.ts';
import { createSseReader } from '#providers/openai-compatible/response/sse-reader.ts';
import {
  mayBeToolCall,
  parseTextToolCalls,
} from '#providers/openai-compatible/response/text-tool-calls.ts';
import { vendorErrorText } from '#providers/openai-compatible/errors/vendor-error-text.ts';
import { anchorOf } from '#resilience/continuation/anchor.ts';
import { createContinuationStitcher } from '#resilience/continuation/stitcher.ts';
import { createWordHold } from '#resilience/continuation/word-hold.ts';
import { searchSnippet } from '#store/tables/search-text.ts';
import { maskShapes } from '#telemetry/redaction/secret-patterns.ts';
import { createSecretValues } from '#telemetry/redaction/redact.ts';
import { threadTitle } from '#threads/turns.ts';
import { readOpinion } from '#tools/consensus/opinion.ts';
import { readExpertAnswer } from '#tools/workflow/expert-answer.ts';
import { requestedFiles } from '#tools/workflow/expert-files.ts';
import { accepts, isJson } from '#transport/http/media-type.ts';
import { bearerToken } from '#transport/http/request-checks.ts';

const KEY = createSecret('sk-0123456789abcdef');
const SECRETS = createSecretValues(['0123456789abcdef']);
const BODY = { temperature: 1, user: 'x', tools: [] };

/** All that reads what strangers wrote: models, vendors, clients, repositories. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'the redaction of shapes': maskShapes,
  'the redaction of values': (text) => SECRETS.mask(text),
  'the words of a vendor': (text) => vendorErrorText(text, KEY),
  'an error of a vendor': (text) => readVendorError(400, text),
  'an error of a custom server': (text) =>
    classifyCustom(readVendorError(400, text), FLAVOUR.generic),
  'an error of OpenRouter': (text) => classifyOpenRouter(readVendorError(400, text)),
  'a refused field': (text) => refusedFieldOf(readVendorError(400, text), BODY),
  'JSON in an answer': (text) => [...findJson(text)],
  'tool calls in a text': (text) => parseTextToolCalls(text, ['look']),
  'what may be a call': mayBeToolCall,
  'thoughts in a text': (text) => createThinkTagParser(['<|im_end|>']).take(text),
  'events of a stream': (text) => createSseReader().push(Buffer.from(text)),
  'a seam': (text) => createContinuationStitcher(text, { heldBack: '' }).add(text),
  'the text before a seam': (text) =>
    [text.slice(-300), `${text.slice(-3)} and so on.`, 'And so on it goes.'].map((more) => {
      const stitcher = createContinuationStitcher(text, { heldBack: ' and' });
      return stitcher.add(more) + stitcher.end();
    }),
  'the text after a seam': (text) => {
    const stitcher = createContinuationStitcher('The tide turns twice ', { heldBack: 'a' });
    return stitcher.add(text) + stitcher.end();
  },
  'the end of a stream': (text) => createWordHold('').add(text),
  'the last words before a seam': (text) => anchorOf(text),
  'the end of a sentence': endsSentence,
  'code in a question': looksLikeCode,
  'words of freshness': detectRecency,
  'sections of a text': (text) => [...readBlocks(text)],
  'files in a conversation': (text) => splitMaterial([{ role: 'user', content: text }]),
  'an answer of an expert': readExpertAnswer,
  'an opinion': readOpinion,
  'files that are wanted': (text) => requestedFiles([text]),
  'words to search for': cutCharacters,
  'terms to search for': searchTerms,
  'terms of a query': queryTerms,
  'a snippet': (text) => searchSnippet(text, 'needle'),
  'a title': threadTitle,
  'the title of a job': (text) => jobTitle({ prompt: text }),
  'one line': (text) => oneLine(text, 200),
  'shown arguments': visibleText,
  'the name of a material': attachmentName,
  'the name of a model': (text) => [isModelName(text), nameKey(text)],
  'the media type of a request': (text) => [isJson(text), accepts(text, 'text/event-stream')],
  'a bearer token': bearerToken,
  'rules of a .gitignore': (text) =>
    NO_IGNORE_RULES.with('', text.split('\n', 1_000)).ignores('a/b/c', 'file'),
  'a name under rules': (text) =>
    NO_IGNORE_RULES.with('', ['a*b', '**/x*', '/a*']).ignores(
      `a${text.replaceAll('/', '')}`,
      'file',
    ),
  'a wildcard': (text) => matchesWildcard(text, '*a*b*c*d*e'),
  'a wildcard of a stranger': (text) => matchesWildcard('a'.repeat(200), text),
  'an address': (text) => parseUriTemplate('exai://{a}/{b}').match(text),
  'the host of an address': (text) => checkUrl(`https://a${text}`),
  'a pattern of a schema': (text) => createPatterns().match(text, '^(a+|.+)+$'),
};

const STARTS = ['', '"', '{"a":"', '<tool_call>', '```json\n', '{"message":"', 'password: |\n  '];
const PUMPS = [
  ...Array.from(` \n\t.,:;!?-_=*#%&@/\\|"'\`<>()[]{}a0A漢é`),
  '\r\n',
  ' \n',
  '\n ',
  'a ',
  ' a',
  'a.',
  '.a',
  '1.',
  ':1',
  '{"',
  '"}',
  '{"a":',
  '[{',
  '```',
  '\\"',
  'a=',
  'a: ',
  'key=',
  'token=',
  '"key":"',
  'name="key"\n',
  'bearer ',
  'basic ',
  'sk-',
  'eyJ',
  'eyJaaaaa.aaaaa',
  '://a:',
  'http://',
  '-u a:',
  '-----BEGIN PRIVATE KEY-----',
  '%3d',
  '%22',
  '<file ',
  '</file>',
  '<think>',
  'data:',
  'data: a\n',
  'model: ',
  'retry in 1',
  'import a',
  '# a\n',
  '<arg_key>',
  '<|tool_call_begin|>',
  'latest ',
  '"message":',
  'today ',
  '-- file: a\n',
  '**/a*',
];
const ENDS = ['', '\u0000', 'x.'];

const CHARS = 50_000;
const TIMES_LONGER = 4;
/** Sixteen would be the square. */
const MAX_TIMES_SLOWER = 10;
/** What takes no longer than this is not measured for how it grows. */
const SOON_MS = 60;

function cpuMs(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of a few, as the machine does other things, too. */
function leastMs(act: () => unknown): number {
  return Math.min(cpuMs(act), cpuMs(act), cpuMs(act));
}

describe('a text four times as long takes nowhere near sixteen times as long', () => {
  test.each(Object.entries(READERS))('%s', (_, read) => {
    const slow: unknown[] = [];
    for (const start of STARTS) {
      for (const pump of PUMPS) {
        for (const end of ENDS) {
          const text = (chars: number) => start + pump.repeat(chars / pump.length) + end;
          const long = text(CHARS * TIMES_LONGER);
          if (cpuMs(() => read(long)) <= SOON_MS) continue;
          const short = text(CHARS);
          const times = leastMs(() => read(long)) / leastMs(() => read(short));
          if (times > MAX_TIMES_SLOWER) slow.push({ start, pump, end, times });
        }
      }
    }
    expect(slow).toEqual([]);
  });
});
