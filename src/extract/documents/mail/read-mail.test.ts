import { Buffer } from 'node:buffer';
import { expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { decompressRtf } from './compressed-rtf.ts';
import { ByteView } from '../legacy/byte-view.ts';
import { decodeWords, parseParameters } from './header-fields.ts';
import { readEml } from './read-eml.ts';

async function read(lines: readonly string[]): Promise<string> {
  const { parts } = await readEml(Buffer.from(lines.join('\r\n'), 'utf8'), {});
  return parts.map(({ markdown }) => markdown).join('\n=====\n');
}

verifies('documents:mail', 'Header words of other charsets are decoded and joined', () => {
  expect(decodeWords('=?UTF-8?Q?Gr=C3?= =?UTF-8?Q?=BC=C3=9Fe?=')).toBe('Grüße');
  expect(decodeWords('=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=')).toBe('日本');
  const { params } = parseParameters(
    `attachment; filename*0*=utf-8''%e2%82%ac%20; filename*1="rates.pdf"`,
  );
  expect(params.get('filename')).toBe('€ rates.pdf');
});

verifies(
  'documents:mail',
  'The best alternative is shown, attachments are named, and forwarded mails are parts',
  async () => {
    const text = await read([
      'From: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>',
      'To: a@example.com',
      'Subject: Report',
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'caf=E9 and a soft =',
      'break',
      '--c',
      'Content-Type: text/html',
      '',
      '<p>html</p>',
      '--c--',
      '--b',
      'Content-Type: image/png; name="p.png"',
      'Content-Transfer-Encoding: base64',
      '',
      'AAEC!!AwQ=',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'From: inner@example.com',
      'Subject: Inner',
      'Content-Type: text/html',
      '',
      '<h1>Hi</h1><p>there</p>',
      '--b--',
    ]);
    expect(text).toContain('**From:** Jürgen');
    expect(text).toContain('café and a soft break');
    expect(text).not.toContain('html');
    expect(text).toContain('- p.png (image/png, 5 bytes)');
    expect(text).toContain('=====\n**From:** inner@example.com');
    expect(text).toContain('# Hi\n\nthere');
  },
);

verifies('documents:mail', 'The compressed rich text of Outlook is unpacked', () => {
  // The example of MS-OXRTFCP 4.1.1.
  const packed = Buffer.from(
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af86820d6f6960c4b0f001e5520540f9100',
    'hex',
  );
  const unpacked = decompressRtf(new ByteView(packed, 'Outlook'));
  expect(Buffer.from(unpacked).toString('latin1').startsWith('{\\rtf1\\ansi\\ansicpg125')).toBe(
    true,
  );
});

verifies(
  'documents:legacy-hostile',
  'The text after a flood of header fields is read',
  async () => {
    const flood = Array.from({ length: 200_000 }, (_, at) => `X-${at}: ${at}`);
    expect(await read(['Subject: kept', ...flood, '', 'body'])).toContain('body');
  },
);
