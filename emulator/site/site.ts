import type { Ask, Reply, Vendor } from '../vendor.ts';
import { PAGES, type Page } from '../web.ts';
import { HARD_PAGES } from './hard-pages.ts';

/** The small web site as a real one: `/web/<host>/<path>`, and pages that are hard to read. */
export const createSite = (): Vendor => ({
  name: 'web',
  prefix: '/web',
  switches: {},
  reset() {
    // It has no state.
  },
  faults: {},
  handle,
});

async function handle(ask: Ask, reply: Reply): Promise<void> {
  const [, hard] = /^\/hard\/([a-z-]+)$/.exec(ask.path) ?? [];
  const found =
    hard !== undefined && Object.hasOwn(HARD_PAGES, hard) ? HARD_PAGES[hard] : undefined;
  if (found) {
    await reply.raw(found.status, found.body(), found.headers);
    return;
  }
  const page = PAGES.find(({ url }) => `/${url.replace('https://', '')}` === ask.path);
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  if (page) await reply.raw(200, htmlOf(page), headers);
  else await reply.raw(404, '<h1>Not found</h1>', headers);
}

/** A page as a site of its kind has it. */
function htmlOf({ title, description, text, site }: Page): string {
  const paragraphs = text
    .split('\n\n')
    .filter((each) => !each.startsWith('#'))
    .map((each) => `<p>${each.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')}</p>`);
  return `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${description}"><meta property="og:site_name" content="${site}"></head><body><nav><a href="/">Home</a> <a href="/about">About</a></nav><article><h1>${title}</h1>${paragraphs.join('')}</article><footer>${site}</footer></body></html>`;
}
