import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { OcrResult, Provider, ProviderContext } from '#core/llm/provider.ts';
import { reason } from '#core/messages/reasons.ts';
import { assumeModel } from '#models/assume-model.ts';
import { readUsage } from '../openai-compatible/response/usage.ts';
import type { ModelChoice } from '../pick-model.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { callGlm, glmBadResponse, refuseInput, type Glm } from './call-glm.ts';

const OCR_MODEL = 'glm-ocr';
const MB = 1024 * 1024;
const MAX_PDF_BYTES = 50 * MB;
const MAX_IMAGE_BYTES = 10 * MB;
/** The text of 100 dense pages. */
const MAX_ANSWER_BYTES = 32 * MB;

type Scan = Parameters<NonNullable<Provider['ocr']>>[0];

/** Recognises the text of a PDF or a picture by `layout_parsing`; the file goes inline. */
export async function recogniseText(
  glm: Glm,
  file: Scan,
  { catalogue, forbids }: ModelChoice,
  context: ProviderContext,
): Promise<OcrResult> {
  refuseForbidden(catalogue.find(OCR_MODEL, 'glm') ?? assumeModel(OCR_MODEL, 'glm'), forbids);
  checkScan(file);
  const content = await collect(file);
  const answer = await callGlm(
    glm,
    {
      operation: 'ocr',
      method: 'POST',
      path: '/layout_parsing',
      body: { model: OCR_MODEL, file: `data:${file.mediaType};base64,${content}` },
      model: OCR_MODEL,
      maxBytes: MAX_ANSWER_BYTES,
    },
    context,
  );
  const text = answer['md_results'];
  if (typeof text !== 'string') throw glmBadResponse('without the text of the pages');
  if (text.trim() === '')
    throw codedError('provider_error', reason('text_not_extracted', { provider: 'GLM' }), {
      provider: 'glm',
      retry: 'never',
      dueTo: 'request',
    });
  const usage = readUsage(answer['usage']);
  return { text, ...(usage && { used: { model: OCR_MODEL, usage } }) };
}

function checkScan({ mediaType, size }: Scan): void {
  const isPdf = mediaType === 'application/pdf';
  if (!isPdf && !/^image\/(?:png|jpe?g)$/.test(mediaType))
    throw refuseInput('file', 'GLM reads scans as PDF, JPEG or PNG.', 'Send one of these.');
  const most = isPdf ? MAX_PDF_BYTES : MAX_IMAGE_BYTES;
  if (size <= most) return;
  throw new CallError('too_large', `The scan has more than the ${most / MB} MB that GLM reads.`, {
    provider: 'glm',
    field: 'file',
    fix: 'Split the file.',
  });
}

/** Base64, encoded piece by piece. */
async function collect(file: Scan): Promise<string> {
  const parts: string[] = [];
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of file.bytes()) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    parts.push(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
  }
  parts.push(Buffer.from(rest).toString('base64'));
  return parts.join('');
}
