// Entry of a parse thread: the tasks that the parse pool may ask for.
export { parsePage, unitsOf } from './parse-page.ts'
