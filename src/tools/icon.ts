import type { Icon } from '#core/tools/content.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#123"/>' +
  '<path d="M10 7H5v10h5M5 12h4M13 7l6 10M19 7l-6 10" fill="none" stroke="#7df" stroke-width="2"/></svg>';

/** The icon of EX-AI, small enough to be part of every list. */
export const ICON: Icon = {
  src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
};
