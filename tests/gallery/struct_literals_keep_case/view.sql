CREATE VIEW v AS SELECT named_struct('Where', address.state, 'Id', id) AS Place, array(address.state) AS States, map('k', id) AS ById FROM company;
