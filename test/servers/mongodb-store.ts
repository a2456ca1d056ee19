// A store on FerretDB instead of MongoDB.
import { openMongoStore } from '../../services/store/mongo/mongo-store.ts'

/** Waits up to 30 s for an answer, because FerretDB can take seconds on a busy machine. Timeouts are tested in store-faults. */
export const openTestStore = (url: string) => openMongoStore(url, 'work')
