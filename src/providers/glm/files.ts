import { CallError } from '#core/errors/call-error.ts';
import type {
  FilePurpose,
  FileToUpload,
  Provider,
  ProviderContext,
  ProviderFile,
} from '#core/llm/provider.ts';
import type { Clock } from '#core/time/clock.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';
import { withoutLostUploads } from '../lost-uploads.ts';
import { callGlm, encodeGlmId, refuseInput, glmBadResponse, type Glm } from './call-glm.ts';
import { otherSite, standardUrl, type PurposeRule, type Site } from './site.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const MB = 1024 * 1024;

type Files = Required<Pick<Provider, 'upload' | 'listFiles' | 'deleteFile'>>;

export function glmFiles(glm: Glm, clock: Clock): Files {
  const files: Files = {
    upload: (file, context) => uploadFile(glm, file, context),
    listFiles: (context) => listFiles(glm, context),
    deleteFile: (id, context) => deleteFile(glm, id, context),
  };
  return { ...files, upload: withoutLostUploads(files, clock) };
}

async function uploadFile(
  glm: Glm,
  file: FileToUpload,
  context: ProviderContext,
): Promise<ProviderFile> {
  const rule = purposeRule(file.purpose, glm.site);
  checkFile(file, rule);
  const answer = await callGlm(
    glm,
    {
      operation: 'upload',
      method: 'POST',
      path: '/files',
      form: { fields: { purpose: rule.name }, file: { field: 'file', ...formFile(file) } },
    },
    context,
  );
  const uploaded = readFile(answer);
  if (!uploaded) throw glmBadResponse('without the id of the file');
  if (uploaded.state !== 'failed') return uploaded;
  await removeQuietly(glm, uploaded.id, context);
  throw new CallError('provider_error', 'GLM took the file and could not read it.', {
    provider: 'glm',
    fix: 'See whether the file opens elsewhere, or send its text.',
  });
}

function formFile(file: FileToUpload) {
  const { name, mediaType, size } = file;
  return { name: name.toWellFormed(), mediaType, size, bytes: () => file.bytes() };
}

function purposeRule(purpose: FilePurpose, site: Site): PurposeRule {
  const rule = site.purposes[purpose];
  if (rule) return rule;
  if (purpose === 'image' || purpose === 'video') {
    const fix = `Put the ${purpose} into a message, as a URL or as base64.`;
    throw refuseInput('purpose', `GLM takes no ${purpose} as an uploaded file.`, fix);
  }
  const other = otherSite(site);
  const there = other.purposes[purpose] ? ` A key of ${other.host} can do it.` : '';
  throw refuseInput(
    'purpose',
    `GLM at ${site.host} takes no files for ${purpose}, only for ${Object.keys(site.purposes).join(', ')}.`,
    `Let EX-AI read the file and send its text.${there}`,
  );
}

function checkFile({ name, size, mediaType }: FileToUpload, rule: PurposeRule): void {
  if (size === 0) throw refuseInput('file', 'The file is empty.', 'Send one with content.');
  if (rule.ending !== undefined && !name.toLowerCase().endsWith(rule.ending))
    throw refuseInput('file', `Files for ${rule.name} end with ${rule.ending}.`, 'Name it so.');
  const isImage = mediaType.startsWith('image/') || /\.(png|jpe?g|gif|bmp|webp)$/i.test(name);
  const most = isImage ? (rule.maxImageBytes ?? rule.maxBytes) : rule.maxBytes;
  if (size <= most) return;
  throw new CallError('too_large', `The file has more than the ${most / MB} MB that GLM takes.`, {
    provider: 'glm',
    field: 'file',
    fix: 'Split the file, or send its text.',
  });
}

/** The extracted text of a file; of files for other purposes their content as text. */
export async function fileContent(
  { client, options }: Glm,
  fileId: string,
  context: ProviderContext,
): Promise<string> {
  const path = `${standardUrl(options.baseUrl)}/files/${encodeGlmId(fileId, 'fileId')}/content`;
  const answer = await client.call(
    {
      operation: 'file_content',
      method: 'GET',
      path,
      expects: 'text',
      headers: { accept: 'application/binary, application/json' },
    },
    context,
  );
  const content = asObject(answer.json)?.['content'];
  return typeof content === 'string' ? content : answer.text;
}

async function listFiles(glm: Glm, context: ProviderContext): Promise<readonly ProviderFile[]> {
  const files = new Map<string, ProviderFile>();
  let after = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await callGlm(
      glm,
      { operation: 'list_files', method: 'GET', path: `/files?limit=${PAGE_SIZE}${after}` },
      context,
    );
    const before = files.size;
    for (const each of asList(answer['data'])) {
      const file = readFile(asObject(each));
      if (file) files.set(file.id, file);
    }
    const last = [...files.keys()].at(-1);
    // A list that claims to have more and brings nothing new would never end.
    if (answer['has_more'] !== true || files.size === before || last === undefined) break;
    after = `&after=${encodeURIComponent(last)}`;
  }
  return [...files.values()];
}

async function deleteFile(
  glm: Glm,
  fileId: string,
  context: ProviderContext,
): Promise<'deleted' | 'absent'> {
  const path = `/files/${encodeGlmId(fileId, 'fileId')}`;
  try {
    const call = { operation: 'delete_file', method: 'DELETE', path } as const;
    const answer = await callGlm(glm, call, context);
    return answer['deleted'] === false ? 'absent' : 'deleted';
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_found') return 'absent';
    throw thrown;
  }
}

async function removeQuietly(glm: Glm, id: string, context: ProviderContext): Promise<void> {
  try {
    await deleteFile(glm, id, context);
  } catch {
    // The caller gets the error that led here.
  }
}

function readFile(answer: Unknown | undefined): ProviderFile | undefined {
  const id = asText(answer?.['id']);
  if (!answer || id === undefined) return undefined;
  return {
    id,
    name: asText(answer['filename']) ?? asText(answer['name']) ?? '',
    size: asCount(answer['bytes'] ?? answer['size']) ?? 0,
    purpose: asText(answer['purpose']) ?? '',
    createdAtMs: (asCount(answer['created_at']) ?? 0) * 1000,
    state: stateOf(asText(answer['status'])),
  };
}

function stateOf(status: string | undefined): ProviderFile['state'] {
  if (status === undefined) return 'ready';
  if (/error|fail/i.test(status)) return 'failed';
  return /process(?:ing)?$|pending|upload(?:ing)?$|running/i.test(status) ? 'pending' : 'ready';
}
