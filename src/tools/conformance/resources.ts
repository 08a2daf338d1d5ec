import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import { IMAGE } from './samples.ts';

export const resources: readonly Resource[] = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    title: 'Static text',
    description: 'A text that never changes.',
    mimeType: 'text/plain',
    read: () => [
      {
        uri: 'test://static-text',
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      },
    ],
  },
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    title: 'Static picture',
    description: 'A picture that never changes.',
    mimeType: IMAGE.mimeType,
    read: () => [{ uri: 'test://static-binary', mimeType: IMAGE.mimeType, blob: IMAGE.data }],
  },
  {
    uri: 'test://watched-resource',
    subscribable: true,
    name: 'watched-resource',
    title: 'Watched resource',
    description: 'A text to subscribe to.',
    mimeType: 'text/plain',
    read: () => [
      { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched resource content' },
    ],
  },
];

export const templates: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    title: 'Data by id',
    description: 'Data that names its id.',
    mimeType: 'application/json',
    read: ({ id }, uri) => [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  },
];
