import { INDEX_METHODS } from '#core/files/index-admin.ts';
import {
  readIndexPaths,
  readIndexSearch,
  readIndexUpdate,
} from '#core/files/index-admin.schema.ts';
import { createIndexAdmin } from '../admin/index-admin.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type FileIndexContext = Pick<FeatureContext, 'fileIndex' | 'workspace' | 'clock'>;

/** The index of the owner's files, on the command line. */
export function fileIndexFeature(context: FileIndexContext): Feature {
  const admin = createIndexAdmin(context);
  return {
    name: 'file index',
    adminMethods: {
      [INDEX_METHODS.find]: async (params) => admin.find(readIndexPaths('index find', params)),
      [INDEX_METHODS.follow]: async (params) =>
        admin.follow(readIndexPaths('index follow', params)),
      [INDEX_METHODS.add]: async (params) => admin.add(readIndexPaths('index add', params)),
      [INDEX_METHODS.search]: async (params) => admin.search(readIndexSearch(params)),
      [INDEX_METHODS.list]: () => admin.list(),
      [INDEX_METHODS.remove]: async (params) =>
        admin.remove(readIndexPaths('index remove', params)),
      [INDEX_METHODS.update]: async (params) => {
        const { paths, folders } = readIndexUpdate(params);
        return admin.update(paths, folders);
      },
    },
  };
}
