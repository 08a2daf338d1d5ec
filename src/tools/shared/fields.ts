import * as z from 'zod';
import type { MediaSource } from '#core/llm/chat.ts';
import { THINKING_MODES } from '#core/llm/route.ts';
import { isUrl } from '#core/net/is-url.ts';

/**
 * Argument fields shared by the tools that ask a model: one name, one meaning and one limit
 * everywhere.
 */

const MAX_FILES = 1_000;
const MAX_IMAGES = 50;
const MAX_TOOLS = 512;
const MAX_STEPS = 10_000;
const MAX_PATH_CHARS = 4_096;
const MAX_ID_CHARS = 256;

/** More than any model reads. Not in the schema, which clients send to their models. */
const MAX_QUESTION_CHARS = 10_000_000;

/** A question; whitespace alone is refused. */
const question = z
  .string()
  .refine((text) => /\S/.test(text), 'it says nothing')
  .refine((text) => text.length <= MAX_QUESTION_CHARS, 'it has more than 10,000,000 characters');

export const promptField = question.describe('What you ask, with all the context it needs.');
export const questionField = question.describe('The same as prompt.');
export const statementField = question.describe('What was said, in its own words.');
export const stepField = question.describe('What this step looks into.');
export const planStepField = question.describe('The step; in the first, what is planned.');
export const findingsField = z.string().describe('What was found so far.');
export const systemPromptField = z.string().describe('Who the model is to be, and its rules.');

export const modelField = z.string().max(256).describe('A model, or auto (default).');
export const webSearchField = z
  .union([z.boolean(), z.literal('auto')])
  .describe('Whether the web is searched. auto (default): when the question asks for news.');
export const thinkingField = z.enum(THINKING_MODES).describe('How hard the model thinks.');
export const temperatureField = z.number().min(0).max(2).describe('0: the same each time.');
export const maxOutputField = z
  .int()
  .min(1)
  .max(10_000_000)
  .describe('Tokens of the answer, thoughts included, at most.');

export const continuationField = z
  .string()
  .max(MAX_ID_CHARS)
  .describe('Continues the conversation of an earlier result.');
/** The trimmed conversation id; an empty one counts as absent. */
export function continuationOf(args: {
  readonly continuation_id?: string | undefined;
}): string | undefined {
  const id = args.continuation_id?.trim();
  return id === '' ? undefined : id;
}

const FORMS = 'give filename and content, name and text, uri, or file_id';

/** A file that is not named by a path. */
const fileObject = z
  .strictObject({
    filename: z.string().optional(),
    content: z.string().optional(),
    mime_type: z.string().optional(),
    name: z.string().optional(),
    text: z.string().optional(),
    uri: z.string().optional(),
    blob: z.string().optional(),
    mimeType: z.string().optional(),
    file_id: z.string().optional(),
  })
  .refine((file) => isFileForm(file), FORMS);

const fileText = z
  .string()
  .min(1)
  .refine(
    (text) => text.length <= MAX_PATH_CHARS || /^data:/i.test(text.slice(0, 5)),
    `a path has at most ${MAX_PATH_CHARS} characters`,
  );

/** One entry of a list of files. Its forms are not listed, because every listed word is sent with every question. */
export const fileEntry = z.union([
  fileText,
  z.looseObject({}).refine((file) => fileObject.safeParse(file).success, FORMS),
]);

export const filesField = z
  .array(fileEntry)
  .max(MAX_FILES)
  .describe(
    'What the question is about: paths of files, folders or patterns, {filename, content} in base64, {name, text}, {uri} or {file_id}.',
  );
export const planFilesField = z
  .array(fileEntry)
  .max(MAX_FILES)
  .describe('Kept with the plan, for later questions.');
export const imagesField = z
  .array(fileEntry)
  .max(MAX_IMAGES)
  .describe('Pictures: like files, or web addresses.');

function isFileForm(file: Readonly<Record<string, string | undefined>>): boolean {
  const { filename, content, name, text, uri, blob, file_id: id } = file;
  const has = (...values: readonly (string | undefined)[]) =>
    values.every((value) => value !== undefined && value !== '');
  if (has(id)) return !has(filename) && !has(uri);
  if (has(uri)) return !has(filename);
  if (content !== undefined) return has(filename) && text === undefined;
  return text !== undefined && has(name) && blob === undefined;
}

export const stepNumberField = z.int().min(1).max(MAX_STEPS).describe('This step, from 1.');
export const totalStepsField = z
  .int()
  .min(1)
  .max(MAX_STEPS)
  .describe('Steps in all, as far as is known.');
export const earlierStepField = z.int().min(1).max(MAX_STEPS);
export const nextStepField = z.boolean().describe('Whether another step follows.');
export const depthField = z.enum(['quick', 'normal', 'deep']).describe('How thorough.');

export const preferField = z.enum(['speed', 'cost']).describe('What matters most.');
export const fallbackField = z
  .enum(['chain', 'none'])
  .describe('none: fail when the first model does. chain (default): ask the next.');
export const maxCostField = z
  .number()
  .min(0)
  .max(10_000)
  .describe('Maximum cost in dollars; 0: only free models.');

const toolObject = z.looseObject({
  name: z.string().min(1).max(64),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
const toolForms = z.union([
  z.looseObject({ type: z.literal('function'), function: toolObject }),
  toolObject,
]);
// The forms of a function are not listed, because every listed word is sent with every question.
export const toolsField = z
  .array(
    z.union([
      z.string().min(1).max(64),
      z
        .looseObject({})
        .refine((each) => toolForms.safeParse(each).success, 'give a name, or type and function'),
    ]),
  )
  .max(MAX_TOOLS)
  .describe('Tools that the model may call: names, or functions as OpenAI writes them.');

/** Tools of ours, and of servers, that a model may call on the way. Limits are checked when they are looked up. */
export const toolNamesField = z
  .array(z.string())
  .describe('Reading tools or MCP servers it may call.');
export const useToolsField = z.literal('auto').describe('Adds the best three.');

const DATA = /^data:(image\/[\w.+-]{1,60});base64,/i;
/** Enough of a data URL to match its head without scanning megabytes. */
const HEAD_CHARS = 100;
const MAX_URL_CHARS = 8_192;

/** Parses an image argument: a data URL or an https address; undefined for anything else. */
export function parseImage(text: string): MediaSource | undefined {
  const [head, mediaType = ''] = DATA.exec(text.slice(0, HEAD_CHARS)) ?? [];
  if (head !== undefined) {
    const base64 = text.slice(head.length);
    return base64 === '' ? undefined : { mediaType: mediaType.toLowerCase(), base64 };
  }
  const isAddress = text.length <= MAX_URL_CHARS && /^https:\/\/\S+$/i.test(text);
  return isAddress && isUrl(text) ? { url: text } : undefined;
}
