/** The pages with their true main text, in the folder beside the repository, where it is present. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface TruePage {
  readonly id: string;
  readonly url: string;
  readonly type: string;
  readonly text: string;
  readonly html: string;
  /** Which fifth of the pages it is in; the pages of a site are in one. */
  readonly fold: number;
}

/** Pages are fitted and scored in this many parts. */
export const FOLDS = 5;

const FOLDER = resolve('../shared/extraction');

export const hasPages = (): boolean => existsSync(resolve(FOLDER, 'ground-truth.json'));

/** One page at a time: all of them would be more memory than an extractor needs. */
export function* readPages(): Generator<TruePage> {
  const truth = JSON.parse(readFileSync(resolve(FOLDER, 'ground-truth.json'), 'utf8')) as Record<
    string,
    { url: string; type: string; articleBody: string }
  >;
  for (const [id, { url, type, articleBody }] of Object.entries(truth))
    yield {
      id,
      url,
      type,
      text: articleBody,
      html: gunzipSync(readFileSync(resolve(FOLDER, 'html', `${id}.html.gz`))).toString('utf8'),
      fold: (createHash('sha1').update(siteOf(url, id)).digest()[0] ?? 0) % FOLDS,
    };
}

/** The last two labels of the host, or three under a suffix such as `co.uk`. */
function siteOf(url: string, id: string): string {
  if (!URL.canParse(url)) return id;
  const labels = new URL(url).hostname.split('.');
  const isShort = labels.length > 2 && (labels.at(-2) ?? '').length <= 3;
  return labels.slice(isShort && labels.at(-1)?.length === 2 ? -3 : -2).join('.');
}
