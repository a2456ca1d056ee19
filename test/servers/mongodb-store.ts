// A store on the stand-in for MongoDB.
import { openMongoStore } from '../../services/store/mongo/mongo-store.ts'

/** Waits up to 30 s for an answer: on a busy machine the stand-in can take seconds. How long a reader waits is tested in store-faults. */
export const openTestStore = (url: string) => openMongoStore(url, 'work')
