import type { CachedPage, PageStore } from '#core/stores/pages.ts';
import { int, text } from './columns.ts';
import { execute, type Database, type Row } from '../database.ts';

/** The most that all pages take together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** A larger page is not kept. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Longer addresses are rare, and an index of PostgreSQL refuses them. */
const MAX_URL_CHARS = 2000;

/** Pages that exceed the total when counted from the newest check on. */
const TOO_MUCH = `
  delete from pages where url in (
    select url from (
      select url, sum(bytes) over (order by checked_at desc, url) as total from pages) as counted
    where total > ?)`;

export function createPageStore(db: Database): PageStore {
  return {
    async get(url) {
      if (url.length > MAX_URL_CHARS) return undefined;
      const [row] = await db.read('select * from pages where url = ?', [url]);
      return row && toPage(row);
    },

    async save(page) {
      const { url, finalUrl, contentType, etag, lastModified, bytes, checkedAt } = page;
      if (bytes.length > MAX_PAGE_BYTES || url.length > MAX_URL_CHARS) return;
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
      await db.write({
        statements: [
          { sql: 'delete from pages where url = ?', params: [url] },
          {
            sql: `insert into pages (url, final_url, content_type, etag, last_modified, checked_at, bytes, body)
              values (?, ?, ?, ?, ?, ?, ?, ?)`,
            params: [url, finalUrl, contentType, etag, lastModified, checkedAt, body.length, body],
          },
          { sql: TOO_MUCH, params: [MAX_TOTAL_BYTES] },
        ],
      });
    },

    async confirm(url, checkedAt) {
      await execute(db, {
        sql: 'update pages set checked_at = ? where url = ?',
        params: [checkedAt, url],
      });
    },
  };
}

function toPage(row: Row): CachedPage {
  return {
    url: text(row, 'url'),
    finalUrl: text(row, 'final_url'),
    contentType: text(row, 'content_type'),
    etag: text(row, 'etag'),
    lastModified: text(row, 'last_modified'),
    checkedAt: int(row, 'checked_at'),
    bytes: new Uint8Array(Buffer.from(text(row, 'body'), 'base64')),
  };
}
