export interface Team {
  uuid: string
  name: string
  createdAt: string
}

export interface TeamStore {
  /** Writes the team; the same uuid again changes nothing. */
  insert(team: Team): Promise<void>
  get(uuid: string): Promise<Team | null>
  /** Writes the name; false when there is no such team. */
  rename(uuid: string, name: string): Promise<boolean>
  /** The oldest team, which the admin key works in; null before the first start. */
  first(): Promise<Team | null>
  /** Oldest first. */
  all(): Promise<Team[]>
}
