// MongoDB's image runs this in mongosh if its volume is new. Creates Lectern's user, who can read and write one database.
db.getSiblingDB('lectern').createUser({
  user: 'lectern',
  pwd: process.env.MONGODB_PASSWORD,
  roles: [{ role: 'readWrite', db: 'lectern' }],
})
