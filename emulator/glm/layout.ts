import { pixelSize } from '../answer/media.ts';
import { isObject } from '../is-object.ts';
import { pdfText } from '../kimi/extract-text.ts';
import { countTokens } from '../tokens.ts';
import { decodeImage } from './check-image.ts';
import type { GlmError } from './errors.ts';
import type { Made } from './search.ts';

const MAX_IMAGE_BYTES = 10 * 1_048_576;

/** `POST /layout_parsing`: one page, with what can be told of the file without reading it. */
export function parseLayout(
  json: unknown,
  made: Made,
): { readonly body: object } | { readonly error: GlmError } {
  if (!isObject(json)) return { error: { code: '1210' } };
  const { model, file } = json;
  if (typeof model !== 'string') return { error: { code: '1213', about: 'model' } };
  if (model !== 'glm-ocr') return { error: { code: '1211' } };
  if (typeof file !== 'string' || file === '') return { error: { code: '1213', about: 'file' } };
  const isUrl = /^https?:\/\/\S+$/.test(file);
  const picture = isUrl ? undefined : decodeImage(file);
  if (!isUrl && picture === undefined) return { error: { code: '1214', about: 'file' } };
  const isPdf = picture?.data.subarray(0, 5).toString('latin1') === '%PDF-';
  if (picture !== undefined && !isPdf && picture.data.length > MAX_IMAGE_BYTES)
    return { error: { code: '1214', about: 'file', detail: 'An image can have 10 MB at most.' } };
  const { width = 1_000, height = 1_000 } = pixelSize(picture?.data ?? Buffer.alloc(0));
  const content = isUrl ? `A document at ${file}` : contentOf(picture?.data, { width, height });
  const tokens = countTokens(content);
  return {
    body: {
      id: made.id,
      created: made.created,
      model,
      md_results: content,
      layout_details: [
        [{ index: 0, label: 'text', bbox_2d: [0, 0, width, height], content, height, width }],
      ],
      layout_visualization: [],
      data_info: { num_pages: 1, pages: [{ width, height }] },
      usage: { prompt_tokens: 256, completion_tokens: tokens, total_tokens: 256 + tokens },
      request_id: typeof json['request_id'] === 'string' ? json['request_id'] : made.id,
    },
  };
}

/** What a PDF shows, or what can be told of a picture. */
function contentOf(
  data: Buffer = Buffer.alloc(0),
  { width, height }: { readonly width: number; readonly height: number },
): string {
  if (data.subarray(0, 5).toString('latin1') === '%PDF-') return pdfText(data.toString('latin1'));
  return `An image of ${width} x ${height} pixels`;
}
