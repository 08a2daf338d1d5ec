import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatPart, MediaSource } from '#core/llm/chat.ts';
import { verifies } from '../../../test/verifies.ts';
import { checkMedia, writePart } from './media.ts';

/** Of one message with these parts. */
function verdict(...parts: ChatPart[]): string {
  try {
    checkMedia([{ role: 'user', content: parts }]);
    return 'taken';
  } catch (error) {
    return error instanceof CallError ? error.class : 'broken';
  }
}

const png = 'iVBORw0KGgo=';
const part = (type: 'image' | 'video' | 'file', source: MediaSource): ChatPart => ({
  type,
  source,
});

describe('a picture', () => {
  verifies('provider:facts', 'glm: a picture is an address or a data URL', () => {
    expect(writePart({ type: 'image', source: { url: 'https://a.example/x.png' } })).toEqual({
      type: 'image_url',
      image_url: { url: 'https://a.example/x.png' },
    });
    expect(writePart({ type: 'image', source: { base64: png, mediaType: 'image/png' } })).toEqual({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${png}` },
    });
  });

  verifies('provider:facts', 'glm: a picture is JPEG or PNG of up to 5 MB', () => {
    const of = (mediaType: string, bytes: number) =>
      part('image', { base64: 'A'.repeat(Math.ceil((bytes * 4) / 3)), mediaType });
    expect(verdict(of('image/png', 5 * 1024 * 1024 - 3), of('image/jpeg', 10))).toBe('taken');
    expect(verdict(of('image/png', 5 * 1024 * 1024 + 3))).toBe('bad_request');
    expect(verdict(of('image/webp', 10))).toBe('bad_request');
    expect(verdict(of('image/png', 0))).toBe('validation');
    expect(verdict(part('image', { url: `data:image/png;base64,${png}` }))).toBe('taken');
    expect(verdict(part('image', { url: `data:image/gif;base64,${png}` }))).toBe('bad_request');
    expect(verdict(part('image', { url: 'data:,' }))).toBe('validation');
  });

  test('has an address that the vendor can reach, and not a file id', () => {
    expect(verdict(part('image', { url: 'file:///etc/passwd' }))).toBe('validation');
    expect(verdict(part('image', { url: 'x.png' }))).toBe('validation');
    expect(verdict(part('image', { fileId: 'file-1' }))).toBe('bad_request');
  });
});

verifies(
  'provider:facts',
  'glm: documents come by their address alone, and not beside pictures or videos',
  () => {
    const document = part('file', { url: 'https://a.example/x.pdf' });
    expect(verdict(document, { type: 'text', text: 'Read it.' })).toBe('taken');
    expect(verdict(part('file', { base64: 'AAAA', mediaType: 'application/pdf' }))).toBe(
      'bad_request',
    );
    const picture = part('image', { url: 'https://a.example/x.png' });
    expect(verdict(document, picture)).toBe('bad_request');
    const video = part('video', { url: 'https://a.example/x.mp4' });
    expect(verdict(document, video)).toBe('bad_request');
    expect(verdict(...Array.from({ length: 51 }, () => document))).toBe('bad_request');
    expect(writePart({ type: 'file', source: { url: 'https://a.example/x.pdf' } })).toEqual({
      type: 'file_url',
      file_url: { url: 'https://a.example/x.pdf' },
    });
  },
);

test('a video is an address, or few bytes of a kind that it knows', () => {
  expect(verdict(part('video', { url: 'https://a.example/x.mp4' }))).toBe('taken');
  expect(verdict(part('video', { base64: 'AAAA', mediaType: 'video/mp4' }))).toBe('taken');
  expect(verdict(part('video', { base64: 'AAAA', mediaType: 'video/x-flv' }))).toBe('bad_request');
});
