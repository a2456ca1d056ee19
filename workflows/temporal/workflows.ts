// Every workflow of Lectern: what the bundle is made of.
export { drop, recrawl, scheduledSync, sweep, tidy } from './errand-workflows.ts'
export { sync } from './sync-workflow.ts'
