/** What a file is uploaded for. */
export const FILE_PURPOSES = ['extract', 'image', 'video', 'agent', 'batch'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];
